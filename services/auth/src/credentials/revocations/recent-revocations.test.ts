import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Hash } from '../records/token.ts'
import { RecentRevocations, rememberedMs } from './recent-revocations.ts'

const as = (text: string) => text as Hash

const revocation = (tokenHash: string, ageMs = 0, validForMs = -ageMs) => ({
  seq: 1,
  tokenHash: as(tokenHash),
  ageMs,
  validForMs,
})

t.test('what was revoked within ten minutes is known, and nothing older', async (t) => {
  const revocations = new RecentRevocations()
  revocations.accept([
    revocation('new'),
    revocation('old', rememberedMs - 100),
    revocation('too old', rememberedMs),
  ])
  t.strictSame(
    ['new', 'old', 'too old', 'other'].map((tokenHash) => revocations.has(as(tokenHash))),
    [true, true, false, false],
  )
  await sleep(150)
  t.notOk(revocations.has(as('old')))
  t.strictSame(revocations.refused(), ['new'])
})

t.test('a token that is to expire soon is refused when the time has come', async (t) => {
  const revocations = new RecentRevocations()
  const events: string[] = []
  const stop = revocations.listen({
    onRevoked: (tokenHash) => events.push(`revoked ${tokenHash}`),
    onRefused: (tokenHash) => events.push(`refused ${tokenHash}`),
  })
  revocations.accept([revocation('soon', 0, 100), revocation('far', 0, rememberedMs + 1)])
  t.strictSame(events, ['revoked soon', 'revoked far'])
  t.ok(
    revocations.has(as('soon')) && revocations.has(as('far')),
    'what was known of them is outdated',
  )
  await sleep(150)
  t.strictSame(events.slice(2), ['refused soon'])
  t.strictSame(revocations.refused(), ['soon'])
  stop()
  revocations.accept([revocation('unheard')])
  t.equal(events.length, 3)
})
