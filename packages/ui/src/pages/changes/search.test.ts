import t from 'tap'
import { toRequest } from './request.ts'
import { readChangesSearch } from './search.ts'

t.test('filters of the URL are read, others are left out', async (t) => {
  const all = {
    ...{ kind: 'flag', key: 'a', actor: 'id', source: 'undo', page: 'token' },
    since: '2026-11-01',
  }
  t.strictSame(readChangesSearch({ ...all, open: '42' }), { ...all, open: 42 })
  t.strictSame(readChangesSearch({ key: 'a', source: 'x', open: '0', page: '', q: 'a' }), {})
})

t.test('a search is what the service is asked for', async (t) => {
  t.strictSame(toRequest('shop', {}), { namespaceKey: 'shop' })
  const { since, until, ...rest } = toRequest('shop', {
    ...{ kind: 'segment', key: 'a', actor: 'id', source: 'undo', page: 'token', open: 4 },
    ...{ since: '2026-11-01', until: '2026-11-01' },
  })
  t.strictSame(rest, {
    ...{ namespaceKey: 'shop', kind: 'SEGMENT_KIND', key: 'a', actorId: 'id', source: 'undo' },
    pageToken: 'token',
  })
  t.equal(Date.parse(until ?? '') - Date.parse(since ?? ''), 86_400_000, 'all of the last day')
})
