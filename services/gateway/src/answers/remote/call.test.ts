import { contract } from '@svc/contract/testing'
import t from 'tap'
import { callServices } from './call.ts'

const channel = { call: () => Promise.reject(new Error('nothing is called')) }
const { limitOf } = callServices({ auth: channel, resource: channel }, false, () => '/')

function limit(name: string, params: Readonly<Record<string, string>> = {}) {
  const operation = contract.operations.find(({ path }) => path.endsWith(`/${name}`))
  if (operation === undefined) throw new Error(`there is no ${name}`)
  return limitOf(operation, { params })
}

t.test('changes are counted by namespace', async (t) => {
  const one = limit('UpdateFlag', { namespaceKey: 'one', key: 'a' })
  t.equal(limit('UpdateFlag', { namespaceKey: 'one', key: 'b' }), one)
  t.equal(limit('CreateSegment', { namespaceKey: 'one' }), one)
  t.not(limit('UpdateFlag', { namespaceKey: 'two', key: 'a' }), one)
  t.not(limit('UpdateFlag', { key: 'a' }), one, 'the one that no URL names')
})

t.test('those of thousands of namespaces are not kept', async (t) => {
  const one = limit('UpdateFlag', { namespaceKey: 'kept' })
  const call = one.run(() => new Promise<void>((resolve) => setImmediate(resolve)))
  for (let i = 0; i < 3000; i += 1) limit('UpdateFlag', { namespaceKey: `n${i}` })
  t.equal(limit('UpdateFlag', { namespaceKey: 'kept' }), one, 'while it has calls in flight')
  await call
  for (let i = 0; i < 1000; i += 1) limit('UpdateFlag', { namespaceKey: `m${i}` })
  t.not(limit('UpdateFlag', { namespaceKey: 'kept' }), one)
})

t.test('reads, logins and other calls of auth are counted apart', async (t) => {
  const limits = [
    limit('GetFlag', { namespaceKey: 'one' }),
    limit('RotateToken'),
    limit('UpdateFlag', { namespaceKey: 'one' }),
  ]
  t.equal(new Set(limits).size, 3)
  t.equal(limit('GetFlag', { namespaceKey: 'two' }), limits[0])
})
