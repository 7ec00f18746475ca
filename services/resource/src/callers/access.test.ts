import { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import { NamespaceServiceDefinition } from '@svc/proto/resource/v1/namespaces'
import { SegmentServiceDefinition } from '@svc/proto/resource/v1/segments'
import { WatchServiceDefinition } from '@svc/proto/resource/v1/watch'
import t from 'tap'
import { namespacesIn, scopeOf } from './access.ts'

t.test('reads whom a method is for from its annotation', async (t) => {
  const inNamespace = { kind: 'namespace', field: ['namespaceKey'] }
  t.strictSame(scopeOf(FlagServiceDefinition.methods.getFlag), inNamespace)
  t.strictSame(scopeOf(SegmentServiceDefinition.methods.createSegment), inNamespace)
  const { getNamespace, listNamespaces } = NamespaceServiceDefinition.methods
  t.strictSame(scopeOf(getNamespace), { kind: 'namespace', field: ['key'] })
  t.strictSame(scopeOf(listNamespaces), { kind: 'unbound' })
  t.strictSame(scopeOf(WatchServiceDefinition.methods.watch), { kind: 'internal' })
})

t.test('knows no default: a method without an annotation is for nobody', async (t) => {
  const { options, ...bare } = FlagServiceDefinition.methods.getFlag
  t.ok(options)
  t.throws(() => scopeOf(bare), { message: 'GetFlag has no access annotation' })
  t.throws(() => scopeOf({ ...bare, options: { _unknownFields: {} } }))
  const nothing = { _unknownFields: { 400802: [Buffer.of(0)] } }
  t.throws(() => scopeOf({ ...bare, options: nothing }), { message: /odd access annotation/ })
})

t.test('finds the namespaces that a request names', async (t) => {
  t.strictSame(namespacesIn({ namespaceKey: 'shop', key: 'f' }, ['namespaceKey']), ['shop'])
  t.strictSame(namespacesIn({ namespaceKey: '' }, ['namespaceKey']), ['default'])
  t.strictSame(namespacesIn({ key: 'f' }, ['namespaceKey']), [])
  const batch = { requests: [{ namespaceKey: 'a' }, { namespaceKey: '' }, { namespaceKey: 'b' }] }
  t.strictSame(namespacesIn(batch, ['requests', 'namespaceKey']), ['a', 'default', 'b'])
  t.strictSame(namespacesIn({ requests: [] }, ['requests', 'namespaceKey']), [])
})
