import { fromBinary, toBinary } from '@bufbuild/protobuf'
import t from 'tap'
import { loadContract } from './contract.ts'
import { decodeRequest } from './decode.ts'
import { findLongList } from './long-lists.ts'

const url = { params: { namespaceKey: 'n' }, query: {} }

function find(name: string) {
  const operation = loadContract().operations.find((one) => one.name === name)
  const [binding] = operation?.bindings ?? []
  if (operation === undefined || binding === undefined) throw new Error(`no ${name}`)
  return { operation, binding }
}

const apply = find('Apply')

const operations = Array.from({ length: 1000 }, (_, n) => ({
  ...{ kind: 'FLAG_KIND', key: `f-${n}` },
  flag: { name: `F ${n}`, metadata: { n }, rollouts: [{ threshold: { percentage: n / 8 } }] },
}))

t.test('a long list is encoded by slices to what it is as a whole', async (t) => {
  const { operation } = apply
  const body = { comment: 'c', operations, dryRun: true }
  const list = findLongList(operation, body)
  const rest = decodeRequest(apply, url, list?.rest ?? body)
  const slices = [...(list?.encode() ?? [])]
  t.ok(slices.length > 10)
  const bytes = Buffer.concat([toBinary(operation.input, rest), ...slices])
  t.strictSame(fromBinary(operation.input, bytes), decodeRequest(apply, url, body))
})

t.test('a value of the wrong type is refused in the same words', async (t) => {
  const body = { operations: [...operations, { kind: 'FLAG_KIND', key: 7 }] }
  const message = 'invalid values for key(s) in json body: operations[1000].key must be a string'
  t.throws(() => decodeRequest(apply, url, body), { message })
  t.throws(() => [...(findLongList(apply.operation, body)?.encode() ?? [])], { message })
})

t.test('other requests are read as a whole', async (t) => {
  const few = operations.slice(0, 32)
  t.equal(findLongList(apply.operation, { operations: few }), undefined)
  t.equal(findLongList(apply.operation, { operations: 'x' }), undefined)
  t.equal(findLongList(apply.operation, {}), undefined)
  const many = Array.from({ length: 100 }, () => ({ namespaceKey: 'n' }))
  t.equal(findLongList(find('ApplyDrafts').operation, { drafts: many }), undefined)
})
