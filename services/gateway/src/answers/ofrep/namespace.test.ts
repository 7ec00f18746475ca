import t from 'tap'
import { readNamespace } from './namespace.ts'

const refusal = (reason: string) => ({
  code: 'invalid_argument',
  message: `invalid field X-Svc-Namespace: ${reason}`,
})

t.test('the namespace is in either header, and the default one without', async (t) => {
  t.equal(readNamespace({}), 'default')
  t.equal(readNamespace({ 'x-svc-namespace': '' }), 'default')
  t.equal(readNamespace({ 'x-svc-namespace': 'a' }), 'a')
  t.equal(readNamespace({ 'x-flipt-namespace': 'a' }), 'a')
  t.equal(readNamespace({ 'x-svc-namespace': '', 'x-flipt-namespace': 'a' }), 'a')
  t.equal(readNamespace({ 'x-svc-namespace': 'a', 'x-flipt-namespace': 'a' }), 'a')
})

t.test('two namespaces are refused, in two headers or in one', async (t) => {
  const differing = { 'x-svc-namespace': 'a', 'x-flipt-namespace': 'b' }
  t.throws(() => readNamespace(differing), refusal('differs from X-Flipt-Namespace'))
  // Node.js joins headers of the same name.
  const joined = { 'x-svc-namespace': 'a, b' }
  t.throws(
    () => readNamespace(joined),
    refusal('contains invalid characters: allowed are letters, digits, "-", "_" and ","'),
  )
})

t.test('what cannot be a key is refused', async (t) => {
  for (const key of ['a b', 'ä', '../a', '\0', ' ']) {
    const refused = refusal(
      'contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    )
    t.throws(() => readNamespace({ 'x-svc-namespace': key }), refused)
  }
  const long = { 'x-svc-namespace': 'a'.repeat(256) }
  t.throws(() => readNamespace(long), refusal('must be at most 255 characters'))
})
