import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('segments are found by text and sorted', async (t) => {
  const { createSegment, updateSegment, createConstraint, listSegments } = await openResources(t)
  await createSegment({ key: 'eu', name: 'Österreich', description: '100% of it' })
  await createSegment({ key: 'staff', name: 'Angestellte' })
  await createSegment({ key: 'beta_users', name: 'beta', description: 'who ÖFFNET a\\b' })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  await createConstraint({ segmentKey: 'eu', ...isTrue })
  await updateSegment({ key: 'eu', name: 'Österreich', description: '100% of it' })
  const cases: [query: { q?: string; sort?: string }, keys: string[]][] = [
    [{}, ['eu', 'staff', 'beta_users']],
    [{ q: 'ö' }, ['eu', 'beta_users']],
    [{ q: 'ÖSTER' }, ['eu']],
    [{ q: '%' }, ['eu']],
    [{ q: '_' }, ['beta_users']],
    [{ q: '\\' }, ['beta_users']],
    [{ q: 'STAFF' }, ['staff']],
    [{ q: 'nope' }, []],
    [{ sort: 'key' }, ['beta_users', 'eu', 'staff']],
    [{ sort: '-key' }, ['staff', 'eu', 'beta_users']],
    [{ sort: 'name' }, ['staff', 'beta_users', 'eu']],
    [{ sort: '-updatedAt' }, ['eu', 'beta_users', 'staff']],
    [{ q: 'ö', sort: '-createdAt' }, ['beta_users', 'eu']],
  ]
  for (const [query, keys] of cases) {
    await t.test(JSON.stringify(query), async (t) => {
      const { segments, totalCount } = await listSegments(query)
      t.strictSame(
        segments.map(({ key }) => key),
        keys,
      )
      t.equal(totalCount, keys.length)
      const first = await listSegments({ ...query, limit: 1 })
      t.strictSame(
        first.segments.map(({ key }) => key),
        keys.slice(0, 1),
      )
      t.equal(first.totalCount, keys.length)
    })
  }
  const { segments } = await listSegments({ q: 'eu' })
  t.match(segments, [{ key: 'eu', constraints: [{ property: 'p' }] }], 'each with its constraints')
})
