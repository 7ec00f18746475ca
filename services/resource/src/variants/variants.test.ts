import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('createVariant', async (t) => {
  const { createFlag, createVariant, getFlag } = await openResources(t)
  const flag = await createFlag({ key: 'f', name: 'F' })

  await t.test('answers with what the flag then holds', async (t) => {
    const made = await createVariant({
      flagKey: 'f',
      key: 'any key ☺',
      name: 'V',
      description: 'D',
      attachment: ' { "a" : 1 } ',
    })
    t.match(made, {
      id: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      flagKey: 'f',
      key: 'any key ☺',
      name: 'V',
      description: 'D',
      attachment: '{"a":1}',
      namespaceKey: 'default',
    })
    t.strictSame(made.createdAt, made.updatedAt)
    t.strictSame((await getFlag({ key: 'f' })).variants, [made])
  })

  await t.test('leaves the time of the flag alone', async (t) => {
    t.strictSame((await getFlag({ key: 'f' })).updatedAt, flag.updatedAt)
  })

  await t.test('takes the key that another flag has', async (t) => {
    await createFlag({ key: 'g', name: 'G', type: 'BOOLEAN_FLAG_TYPE' })
    t.equal((await createVariant({ flagKey: 'g', key: 'any key ☺' })).flagKey, 'g')
  })
})

t.test('updateVariant', async (t) => {
  const { createFlag, createVariant, updateVariant, getFlag } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  const { id, createdAt, updatedAt } = await createVariant({ flagKey: 'f', key: 'v', name: 'V' })

  await t.test('replaces name, description and attachment, and keeps a key unsent', async (t) => {
    const after = await updateVariant({ flagKey: 'f', id, description: 'D', attachment: '[ ]' })
    t.match(after, { key: 'v', name: '', description: 'D', attachment: '[]', createdAt })
    t.notSame(after.updatedAt, updatedAt)
    t.strictSame((await getFlag({ key: 'f' })).variants[0], after)
  })

  await t.test('renames it for a key that is sent', async (t) => {
    t.equal((await updateVariant({ flagKey: 'f', id, key: 'w' })).key, 'w')
  })
})

t.test('deleteVariant', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createVariant, deleteVariant, getFlag, getRule } = resources
  await createFlag({ key: 'f', name: 'F' })
  await resources.createSegment({ key: 's', name: 'S' })
  const { id } = await createVariant({ flagKey: 'f', key: 'v' })
  const other = await createVariant({ flagKey: 'f', key: 'w' })
  await resources.updateFlag({ key: 'f', name: 'F', defaultVariantId: id })
  const rule = await resources.createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  for (const variantId of [id, other.id]) {
    const distribution = { flagKey: 'f', ruleId: rule.id, variantId, rollout: 50 }
    await resources.createDistribution(distribution)
  }

  await t.test('removes it, its distributions and the default that it was', async (t) => {
    t.strictSame(await deleteVariant({ flagKey: 'f', id }), {})
    const flag = await getFlag({ key: 'f' })
    t.strictSame(flag.variants, [other])
    t.notOk('defaultVariant' in flag)
    const { distributions } = await getRule({ flagKey: 'f', id: rule.id })
    t.strictSame(
      distributions.map(({ variantId }) => variantId),
      [other.id],
    )
  })
})
