import t from 'tap'
import { openResources } from '../testing/resources.ts'

/** A flag `f`, another `g`, and the segments `a`, `b` and `c`. */
async function openRules(t: Parameters<typeof openResources>[0]) {
  const resources = await openResources(t)
  for (const key of ['f', 'g']) await resources.createFlag({ key, name: key })
  for (const key of ['a', 'b', 'c']) await resources.createSegment({ key, name: key })
  return resources
}

t.test('createRule', async (t) => {
  const { createRule, getRule } = await openRules(t)

  await t.test('answers with what a later read answers', async (t) => {
    const made = await createRule({
      flagKey: 'f',
      segmentKeys: ['b', 'a'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      rank: 1,
    })
    t.match(made, {
      id: /^[0-9a-f-]{36}$/,
      flagKey: 'f',
      segmentKey: '',
      distributions: [],
      rank: 1,
      namespaceKey: 'default',
      segmentKeys: ['b', 'a'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
    })
    t.strictSame(made.createdAt, made.updatedAt)
    t.strictSame(await getRule({ flagKey: 'f', id: made.id }), made)
  })

  await t.test('shows a single segment, however it was named, in segmentKey', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    for (const named of [{ segmentKey: 'a' }, { segmentKeys: ['a'] }]) {
      const rule = await createRule({ flagKey: 'f', ...named, segmentOperator, rank: 2 })
      const expected = { segmentKey: 'a', segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
      t.match(rule, expected)
      t.equal(rule.segmentKeys.length, 0)
    }
  })
})

t.test('updateRule', async (t) => {
  const { createRule, updateRule, getRule } = await openRules(t)
  const before = await createRule({ flagKey: 'f', segmentKey: 'a', rank: 3 })
  const { id } = before

  await t.test('replaces the segments and keeps the rank', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    const after = await updateRule({ flagKey: 'f', id, segmentKeys: ['c', 'b'], segmentOperator })
    t.match(after, { segmentKey: '', segmentKeys: ['c', 'b'], segmentOperator, rank: 3 })
    t.strictSame(after.createdAt, before.createdAt)
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getRule({ flagKey: 'f', id }), after)
  })
})

t.test('listRules', async (t) => {
  const { createRule, listRules } = await openRules(t)
  for (const [rank, segmentKey] of [
    [2, 'a'],
    [1, 'b'],
    [2, 'c'],
  ] as const) {
    await createRule({ flagKey: 'f', segmentKey, rank })
  }

  await t.test('lists by rank, and by creation where ranks are equal', async (t) => {
    const { rules, totalCount } = await listRules({ flagKey: 'f' })
    t.strictSame(
      rules.map(({ segmentKey }) => segmentKey),
      ['b', 'a', 'c'],
    )
    t.equal(totalCount, 3)
  })

  await t.test('pages through equal ranks', async (t) => {
    const first = await listRules({ flagKey: 'f', limit: 2 })
    const second = await listRules({ flagKey: 'f', limit: 2, pageToken: first.nextPageToken })
    const seen = [...first.rules, ...second.rules].map(({ segmentKey }) => segmentKey)
    t.strictSame(seen, ['b', 'a', 'c'])
    t.equal(second.nextPageToken, '')
  })
})
