import t from 'tap'
import { openResources } from '../testing/resources.ts'

/** A boolean flag `f`, another `g`, and the segments `a`, `b` and `c`. */
async function openRollouts(t: Parameters<typeof openResources>[0]) {
  const resources = await openResources(t)
  const type = 'BOOLEAN_FLAG_TYPE'
  for (const key of ['f', 'g']) await resources.createFlag({ key, name: key, type })
  for (const key of ['a', 'b', 'c']) await resources.createSegment({ key, name: key })
  return resources
}

t.test('createRollout', async (t) => {
  const { createRollout, getRollout } = await openRollouts(t)

  await t.test('answers with what a later read answers, for a threshold', async (t) => {
    const threshold = { percentage: 33.33, value: true }
    const made = await createRollout({ flagKey: 'f', rank: 1, description: 'half', threshold })
    const { id, createdAt, ...rest } = made
    t.match(id, /^[0-9a-f-]{36}$/)
    t.strictSame(rest, {
      namespaceKey: 'default',
      flagKey: 'f',
      type: 'THRESHOLD_ROLLOUT_TYPE',
      rank: 1,
      description: 'half',
      updatedAt: createdAt,
      threshold,
    })
    t.strictSame(await getRollout({ flagKey: 'f', id }), made)
  })

  await t.test('answers with what a later read answers, for segments', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    const segment = { segmentKeys: ['c', 'a', 'c'], segmentOperator, value: true } as const
    const made = await createRollout({ flagKey: 'f', rank: 2, segment })
    const segmentKeys = ['c', 'a']
    const shown = { segmentKey: '', segmentKeys, segmentOperator, value: true }
    t.strictSame(made.segment, shown)
    t.equal(made.type, 'SEGMENT_ROLLOUT_TYPE')
    t.notOk('threshold' in made)
    t.strictSame(await getRollout({ flagKey: 'f', id: made.id }), made)
  })

  await t.test('takes the rank of another flag', async (t) => {
    t.equal((await createRollout({ flagKey: 'g', rank: 1, threshold: {} })).rank, 1)
  })
})

t.test('updateRollout', async (t) => {
  const { createRollout, updateRollout, getRollout } = await openRollouts(t)
  const threshold = { percentage: 10, value: true }
  const before = await createRollout({ flagKey: 'f', rank: 4, description: 'old', threshold })
  const { id } = before
  const segment = { segmentKey: 'a', value: true }
  const ofSegment = await createRollout({ flagKey: 'f', rank: 5, segment })

  await t.test('replaces a threshold and the description, and keeps the rank', async (t) => {
    const after = await updateRollout({ flagKey: 'f', id, threshold: { percentage: 20 } })
    t.match(after, { rank: 4, description: '', threshold: { percentage: 20, value: false } })
    t.strictSame(after.createdAt, before.createdAt)
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getRollout({ flagKey: 'f', id }), after)
  })

  await t.test('replaces segments', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    const change = { segmentKeys: ['c', 'b'], segmentOperator, value: false } as const
    const after = await updateRollout({ flagKey: 'f', id: ofSegment.id, segment: change })
    t.strictSame(after.segment, { segmentKey: '', ...change })
    t.strictSame(await getRollout({ flagKey: 'f', id: ofSegment.id }), after)
  })
})

t.test('listRollouts', async (t) => {
  const { createRollout, listRollouts } = await openRollouts(t)
  for (const rank of [3, 1, 2]) await createRollout({ flagKey: 'f', rank, threshold: {} })

  await t.test('lists by rank', async (t) => {
    const { rules, totalCount } = await listRollouts({ flagKey: 'f' })
    t.strictSame(
      rules.map(({ rank }) => rank),
      [1, 2, 3],
    )
    t.equal(totalCount, 3)
  })
})
