import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('distributions', async (t) => {
  const resources = await openResources(t)
  const { createDistribution, updateDistribution, deleteDistribution, createVariant } = resources
  await resources.createSegment({ key: 's', name: 'S' })
  const { updatedAt } = await resources.createFlag({ key: 'f', name: 'F' })
  const { id: a } = await createVariant({ flagKey: 'f', key: 'a' })
  const { id: b } = await createVariant({ flagKey: 'f', key: 'b' })
  const { id: ruleId } = await resources.createRule({ flagKey: 'f', segmentKey: 's' })
  const inRule = { flagKey: 'f', ruleId }
  const read = async () => (await resources.getRule({ flagKey: 'f', id: ruleId })).distributions
  const first = await createDistribution({ ...inRule, variantId: b, rollout: 33.33 })

  await t.test('are answered as the rule then holds them', async (t) => {
    const { id, createdAt, ...rest } = first
    t.match(id, /^[0-9a-f-]{36}$/)
    t.strictSame(rest, { ruleId, variantId: b, rollout: 33.33, updatedAt: createdAt })
    t.strictSame(await read(), [first])
  })

  await t.test('keep the order of their creation, in which entities are split', async (t) => {
    const second = await createDistribution({ ...inRule, variantId: a, rollout: 66.67 })
    t.strictSame(await read(), [first, second])
    await deleteDistribution({ ...inRule, id: second.id, variantId: a })
    t.strictSame(await read(), [first])
  })

  await t.test('leave the time of the flag alone', async (t) => {
    t.strictSame((await resources.getFlag({ key: 'f' })).updatedAt, updatedAt)
  })

  await t.test('are updated in variant and share', async (t) => {
    const change = { ...inRule, id: first.id, variantId: a, rollout: 90 }
    const after = await updateDistribution(change)
    t.match(after, { variantId: a, rollout: 90, createdAt: first.createdAt })
    t.notSame(after.updatedAt, first.updatedAt)
    t.strictSame(await read(), [after])
  })

  await t.test('compare in the 32 bits that are stored', async (t) => {
    const share = { ...inRule, variantId: a }
    t.equal((await createDistribution({ ...share, rollout: 100.000001 })).rollout, 100)
    t.equal((await createDistribution({ ...share, rollout: Math.fround(0.1) })).rollout, 0.1)
  })
})
