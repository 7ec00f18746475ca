import t from 'tap'
import { openResources } from './testing/resources.ts'

t.test('nothing of one namespace can be reached through another', async (t) => {
  const resources = await openResources(t)
  await resources.createNamespace({ key: 'other', name: 'Other' })
  // The same keys in both, so that nothing but the namespace tells them apart.
  for (const namespaceKey of ['default', 'other']) {
    await resources.createFlag({ namespaceKey, key: 'f', name: 'F' })
    await resources.createSegment({ namespaceKey, key: 's', name: 'S' })
  }
  const variant = await resources.createVariant({ flagKey: 'f', key: 'v' })
  const rule = await resources.createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  const names = { flagKey: 'f', ruleId: rule.id, variantId: variant.id }
  const distribution = await resources.createDistribution({ ...names, rollout: 100 })
  const rollout = await resources.createRollout({ flagKey: 'f', rank: 1, threshold: {} })
  const isTrue = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
  const constraint = await resources.createConstraint({ segmentKey: 's', ...isTrue })
  await resources.createSegment({ key: 'only-here', name: 'S' })

  const namespaceKey = 'other'
  const elsewhere = { namespaceKey, flagKey: 'f' }
  const inSegment = { namespaceKey, segmentKey: 's' }
  const share = { namespaceKey, ...names }
  const segmentKey = 'only-here'
  const own = await resources.createRule({ ...elsewhere, segmentKey: 's', rank: 1 })

  const refused: Record<string, () => Promise<unknown>> = {
    getRule: () => resources.getRule({ ...elsewhere, id: rule.id }),
    getRollout: () => resources.getRollout({ ...elsewhere, id: rollout.id }),
    getSegment: () => resources.getSegment({ namespaceKey, key: segmentKey }),
    updateVariant: () => resources.updateVariant({ ...elsewhere, id: variant.id }),
    updateRule: () => resources.updateRule({ ...elsewhere, id: rule.id, segmentKey: 's' }),
    'updateRule to a segment': () => resources.updateRule({ ...elsewhere, id: own.id, segmentKey }),
    createRule: () => resources.createRule({ ...elsewhere, segmentKey, rank: 1 }),
    createRollout: () =>
      resources.createRollout({ ...elsewhere, rank: 1, segment: { segmentKey } }),
    updateRollout: () =>
      resources.updateRollout({ ...elsewhere, id: rollout.id, threshold: { percentage: 1 } }),
    updateConstraint: () =>
      resources.updateConstraint({ ...inSegment, id: constraint.id, ...isTrue }),
    createDistribution: () => resources.createDistribution(share),
    'createDistribution of a variant': () =>
      resources.createDistribution({ ...share, ruleId: own.id }),
    updateDistribution: () => resources.updateDistribution({ ...share, id: distribution.id }),
  }
  for (const [name, call] of Object.entries(refused)) {
    await t.test(`${name} does not find it`, async (t) => {
      await t.rejects(call(), { code: 'not_found' })
    })
  }

  await t.test('nor can it be the default variant', async (t) => {
    const update = { namespaceKey, key: 'f', name: 'F', defaultVariantId: variant.id }
    await t.rejects(resources.updateFlag(update), { code: 'invalid_argument' })
  })

  await t.test('nor be deleted', async (t) => {
    const before = await resources.revision()
    await resources.deleteDistribution({ ...share, id: distribution.id })
    await resources.deleteVariant({ ...elsewhere, id: variant.id })
    await resources.deleteRule({ ...elsewhere, id: rule.id })
    await resources.deleteRollout({ ...elsewhere, id: rollout.id })
    await resources.deleteConstraint({ ...inSegment, id: constraint.id })
    await resources.deleteSegment({ namespaceKey, key: segmentKey })
    t.equal(await resources.revision(), before)
    t.strictSame((await resources.getFlag({ key: 'f' })).variants, [variant])
    t.strictSame((await resources.getSegment({ key: 's' })).constraints, [constraint])
    const kept = { ...rule, distributions: [distribution] }
    t.strictSame(await resources.getRule({ flagKey: 'f', id: rule.id }), kept)
    t.strictSame(await resources.getRollout({ flagKey: 'f', id: rollout.id }), rollout)
  })
})
