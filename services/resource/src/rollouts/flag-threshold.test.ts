import t from 'tap'
import { openResources } from '../testing/resources.ts'

async function openFlag(t: Parameters<typeof openResources>[0]) {
  const resources = await openResources(t)
  await resources.createFlag({ key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE' })
  await resources.createSegment({ key: 's', name: 'S' })
  return resources
}

const threshold = { percentage: 25, value: true }

t.test('an update without an id, of a flag without thresholds', async (t) => {
  const { createRollout, updateRollout, listRollouts } = await openFlag(t)
  await createRollout({ flagKey: 'f', rank: 4, segment: { segmentKey: 's' } })

  await t.test('adds one after all others', async (t) => {
    const made = await updateRollout({ flagKey: 'f', description: 'Some', threshold })
    t.match(made, { rank: 5, description: 'Some', threshold, type: 'THRESHOLD_ROLLOUT_TYPE' })
    t.strictSame((await listRollouts({ flagKey: 'f' })).rules[1], made)
  })

  await t.test('adds no second one when it is repeated', async (t) => {
    const repeated = await updateRollout({ flagKey: 'f', description: 'Some', threshold })
    const { rules, totalCount } = await listRollouts({ flagKey: 'f' })
    t.equal(totalCount, 2)
    t.strictSame(rules[1], repeated)
  })
})

t.test('adds one only, however many ask at once', async (t) => {
  const { updateRollout, listRollouts } = await openFlag(t)
  await Promise.all(Array.from({ length: 10 }, () => updateRollout({ flagKey: 'f', threshold })))
  t.match(await listRollouts({ flagKey: 'f' }), { totalCount: 1, rules: [{ rank: 1, threshold }] })
})

t.test('an update without an id, of a flag with one threshold', async (t) => {
  const { createRollout, updateRollout } = await openFlag(t)
  const before = await createRollout({ flagKey: 'f', rank: 3, description: 'Kept', threshold: {} })

  await t.test('changes it, and keeps its rank and a description unsent', async (t) => {
    const after = await updateRollout({ flagKey: 'f', threshold })
    t.match(after, { id: before.id, rank: 3, description: 'Kept', threshold })
  })

  await t.test('replaces a description that is sent, even by none', async (t) => {
    const after = await updateRollout({ flagKey: 'f', description: '', threshold })
    t.match(after, { id: before.id, description: '' })
  })
})
