import t from 'tap'
import { CallProofs, digestOf, proveCall } from './call-proof.ts'

const secret = 'the-secret-of-these-tests-0123456789'
const path = '/test.Echo/Echo'
const request = Buffer.from('a request')
const startMs = Date.parse('2030-01-01T00:00:00Z')

const prove = (nowMs = startMs, by = secret) => proveCall(by, path, digestOf(request), nowMs)

t.test('accepts a proof once', async (t) => {
  const proofs = new CallProofs([secret], () => startMs)
  const proof = prove()
  t.equal(proofs.findFault(proof, path, request), undefined)
  t.equal(proofs.findFault(proof, path, request), 'replayed')
  t.equal(proofs.findFault(prove(), path, request), undefined)
})

t.test('refuses what was made for another call', async (t) => {
  const proofs = new CallProofs([secret], () => startMs)
  t.equal(proofs.findFault(prove(), '/test.Echo/Fail', request), 'wrong')
  t.equal(proofs.findFault(prove(), path, Buffer.from('another')), 'wrong')
  t.equal(proofs.findFault(prove(), path, Buffer.of()), 'wrong')
})

t.test('accepts the clocks of others for half a minute before and after its own', async (t) => {
  const proofs = new CallProofs([secret], () => startMs)
  for (const seconds of [-30, 30]) {
    t.equal(proofs.findFault(prove(startMs + seconds * 1000), path, request), undefined)
  }
  for (const seconds of [-31, 31, -86_400, 86_400]) {
    t.equal(proofs.findFault(prove(startMs + seconds * 1000), path, request), 'old')
  }
})

t.test('accepts no proof again when its clock is set back', async (t) => {
  let nowMs = startMs
  const proofs = new CallProofs([secret], () => nowMs)
  const first = prove()
  t.equal(proofs.findFault(first, path, request), undefined)
  nowMs += 60_000
  t.equal(
    proofs.findFault(prove(nowMs), path, request),
    undefined,
    'for which it forgets the first',
  )
  nowMs = startMs + 5000
  t.equal(proofs.findFault(first, path, request), 'clock set back')
  t.equal(proofs.findFault(prove(nowMs), path, request), undefined, 'new ones are accepted')
})

t.test('accepts the secret before or after, while it is being changed', async (t) => {
  const next = 'the-next-secret-of-these-tests-01234'
  const proofs = new CallProofs([secret, next], () => startMs)
  t.equal(proofs.findFault(prove(startMs, next), path, request), undefined)
  t.equal(proofs.findFault(prove(startMs, `${next}.`), path, request), 'wrong')
})

t.test('refuses a proof with any character changed', async (t) => {
  const proofs = new CallProofs([secret], () => startMs)
  const proof = prove()
  const accepted = [...proof].filter((character, i) => {
    const changed = proof.slice(0, i) + (character === 'A' ? 'B' : 'A') + proof.slice(i + 1)
    return proofs.findFault(changed, path, request) === undefined
  })
  t.strictSame(accepted, [])
  t.equal(proofs.findFault(proof, path, request), undefined)
})

t.test('refuses what is no proof', async (t) => {
  const proofs = new CallProofs([secret], () => startMs)
  t.equal(proofs.findFault(undefined, path, request), 'missing')
  for (const text of [
    '',
    'v1',
    'v1...',
    prove().replace('v1', 'v2'),
    `${prove()}=`,
    ` ${prove()}`,
  ]) {
    t.equal(proofs.findFault(text, path, request), 'malformed')
  }
})

t.test('remembers each proof as long as it could be used again, and no longer', async (t) => {
  let nowMs = startMs
  const proofs = new CallProofs([secret], () => nowMs, 10)
  const early = prove(startMs + 30_000)
  t.equal(proofs.findFault(early, path, request), undefined)
  for (let i = 0; i < 9; i++) t.equal(proofs.findFault(prove(), path, request), undefined)
  t.equal(proofs.findFault(prove(), path, request), 'too many calls')
  nowMs = startMs + 31_000
  t.equal(proofs.findFault(prove(nowMs), path, request), undefined)
  t.equal(proofs.findFault(early, path, request), 'replayed')
  nowMs = startMs + 60_000
  t.equal(proofs.findFault(early, path, request), 'replayed')
  nowMs = startMs + 61_000
  t.equal(proofs.findFault(early, path, request), 'old')
})
