import type { Change, ChangeItem } from '@svc/client/api'
import t from 'tap'
import { changedKeys, countChanged, touches } from './touched.ts'

const item = (key: string, kind: ChangeItem['kind'] = 'FLAG_KIND'): ChangeItem => ({
  ...{ kind, key, action: 'UPDATED_ACTION', changes: [], before: '{}', after: '{}' },
})
const change = (items: readonly ChangeItem[], itemCount = items.length): Change => ({
  ...{ revision: 42, at: '2026-11-25T12:00:00Z', source: 'api', comment: '', requestId: '' },
  actor: { id: 'a', method: 'METHOD_TOKEN', name: 'alice', address: '' },
  ...{ previousHash: '', hash: '', keyId: '', nextPageToken: '', itemCount, items },
})

t.test('a change touches what it lists', async (t) => {
  const one = change([item('one'), item('beta', 'SEGMENT_KIND')])
  t.equal(touches(one, 'FLAG_KIND', 'one'), true)
  t.equal(touches(one, 'FLAG_KIND', 'beta'), false)
  t.equal(touches(one, 'SEGMENT_KIND'), true)
  t.equal(touches(change([item('one')]), 'SEGMENT_KIND'), false)
})

t.test('a change that does not list all of its items may touch any object', async (t) => {
  const bulk = change([item('one')], 25)
  t.equal(touches(bulk, 'FLAG_KIND', 'other'), true)
  t.equal(touches(bulk, 'SEGMENT_KIND'), true)
})

t.test('objects are counted once, and those that are not listed too', async (t) => {
  const news = [change([item('one'), item('two')]), change([item('two'), item('three')])]
  t.equal(countChanged(news, 'FLAG_KIND'), 3)
  t.equal(countChanged(news, 'SEGMENT_KIND'), 0)
  const bulk = change([item('four'), item('five')], 25)
  t.equal(countChanged([bulk], 'FLAG_KIND'), 25)
  t.equal(countChanged([...news, bulk], 'FLAG_KIND'), 28)
  t.strictSame([...changedKeys([bulk], 'FLAG_KIND')], ['four', 'five'])
})
