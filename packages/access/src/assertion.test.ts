import t from 'tap'
import { AssertionReader, assertCaller } from './assertion.ts'
import { macOf } from './mac.ts'

const key = 'the-assertion-key-of-this-test'
const maxAgeMs = 5000
const caller = {
  tokenId: 'id',
  principal: 'a-person',
  method: 'METHOD_TOKEN',
  name: 'deploys',
  namespaceKey: 'shop',
}

t.test('an assertion that was read before is judged by its age each time', async (t) => {
  const reader = new AssertionReader([key], maxAgeMs)
  const assertion = assertCaller(caller, key, 1_000_000)
  t.strictSame(reader.read(assertion, 1_000_000), caller)
  t.strictSame(reader.read(assertion, 1_005_000), caller)
  t.equal(reader.read(assertion, 1_006_001), 'old')
  t.equal(reader.read(assertion, 998_999), 'old', 'made in the future')
  t.strictSame(reader.read(assertion, 1_000_001), caller)
})

t.test('an assertion without a principal, of the release before, is of its token', async (t) => {
  const [text = ''] = assertCaller(caller, key, 1_000_000).split('.')
  const { pid, ...payload } = JSON.parse(Buffer.from(text, 'base64url').toString())
  t.equal(pid, caller.principal)
  const without = Buffer.from(JSON.stringify(payload)).toString('base64url')
  const assertion = `${without}.${macOf(key, without)}`
  const reader = new AssertionReader([key], maxAgeMs)
  t.strictSame(reader.read(assertion, 1_000_000), { ...caller, principal: caller.tokenId })
})

t.test('an assertion is not taken for another that differs in one character', async (t) => {
  const reader = new AssertionReader([key], maxAgeMs)
  const assertion = assertCaller(caller, key, 1_000_000)
  reader.read(assertion, 1_000_000)
  const forged = `${assertion.slice(0, -2)}${assertion.at(-2) === 'A' ? 'B' : 'A'}${assertion.at(-1)}`
  for (let i = 0; i < 2; i += 1) t.equal(reader.read(forged, 1_000_000), 'forged')
  t.equal(reader.read(`${assertion}x`, 1_000_000), 'malformed')
})

t.test('more assertions than are remembered are read all the same', async (t) => {
  const reader = new AssertionReader([key, 'the-previous-key'], maxAgeMs)
  const assertions = Array.from({ length: 1500 }, (_, number) =>
    assertCaller({ ...caller, name: `token ${number}` }, key, 1_000_000),
  )
  for (let round = 0; round < 2; round += 1) {
    const names = assertions.map((assertion) => {
      const read = reader.read(assertion, 1_000_000)
      return typeof read === 'string' ? read : read.name
    })
    t.strictSame(
      names,
      assertions.map((_, number) => `token ${number}`),
    )
  }
})
