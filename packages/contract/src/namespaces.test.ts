import t from 'tap'
import { resolveNamespaces } from './namespaces.ts'
import { bound } from './testing.ts'

const namespacesOf = (name: string, request: object) =>
  resolveNamespaces(bound(name).operation.access, request)

t.test('finds the namespaces that a request names, and none where it can name none', async (t) => {
  t.strictSame(namespacesOf('GetFlag', { namespaceKey: 'shop', key: 'f' }), ['shop'])
  t.strictSame(namespacesOf('GetNamespace', { key: 'shop' }), ['shop'])
  t.strictSame(namespacesOf('GetFlag', { key: 'f' }), [])
  t.strictSame(namespacesOf('ListNamespaces', { namespaceKey: 'shop' }), [])
  const batch = { requests: [{ namespaceKey: 'a' }, { namespaceKey: '' }, { namespaceKey: 'b' }] }
  t.strictSame(namespacesOf('EvaluateBatch', batch), ['a', 'default', 'b'])
  t.strictSame(namespacesOf('EvaluateBatch', { requests: [] }), [])
})

t.test('writes the default back, so that the service sees what was authorized', async (t) => {
  const request = { namespaceKey: '', key: 'f' }
  t.strictSame(namespacesOf('GetFlag', request), ['default'])
  t.equal(request.namespaceKey, 'default')
})

t.test('refuses what cannot be the key of a namespace', async (t) => {
  for (const [namespaceKey, message] of [
    ['a b', /namespaceKey: contains invalid characters/],
    ['a'.repeat(256), /namespaceKey: must be at most 255 characters/],
  ] as const) {
    t.throws(() => namespacesOf('GetFlag', { namespaceKey }), { code: 'invalid_argument', message })
  }
})
