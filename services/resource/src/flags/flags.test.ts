import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('createFlag', async (t) => {
  const { createFlag, getFlag } = await openResources(t)

  await t.test('answers with what a later read answers', async (t) => {
    const made = await createFlag({
      key: 'checkout',
      name: 'Checkout',
      type: 'BOOLEAN_FLAG_TYPE',
      metadata: { owner: 'web', levels: [1, { deep: null }] },
    })
    const { createdAt, ...rest } = made
    t.strictSame(rest, {
      key: 'checkout',
      name: 'Checkout',
      description: '',
      enabled: false,
      updatedAt: createdAt,
      variants: [],
      namespaceKey: 'default',
      type: 'BOOLEAN_FLAG_TYPE',
      metadata: { owner: 'web', levels: [1, { deep: null }] },
    })
    t.strictSame(await getFlag({ namespaceKey: 'default', key: 'checkout' }), made)
  })

  await t.test('makes a variant flag by default', async (t) => {
    t.equal((await createFlag({ key: 'color', name: 'Color' })).type, 'VARIANT_FLAG_TYPE')
  })

  await t.test('keeps no metadata that is empty', async (t) => {
    t.notOk('metadata' in (await createFlag({ key: 'plain', name: 'Plain', metadata: {} })))
    t.notOk('metadata' in (await getFlag({ key: 'plain' })))
  })
})

t.test('updateFlag', async (t) => {
  const { createFlag, createVariant, updateFlag, getFlag } = await openResources(t)
  const metadata = { b: 1, a: 2 }
  const before = await createFlag({ key: 'f', name: 'F', description: 'Old', metadata })
  const variant = await createVariant({ flagKey: 'f', key: 'v' })

  await t.test('replaces name, description and state', async (t) => {
    const after = await updateFlag({ key: 'f', name: 'G', enabled: true })
    t.match(after, { name: 'G', description: '', enabled: true, createdAt: before.createdAt })
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getFlag({ key: 'f' }), after)
  })

  await t.test('leaves metadata alone that is not sent, and its order', async (t) => {
    const after = await updateFlag({ key: 'f', name: 'G' })
    t.equal(JSON.stringify(after.metadata), '{"b":1,"a":2}')
  })

  await t.test('replaces metadata that is sent', async (t) => {
    const after = await updateFlag({ key: 'f', name: 'G', metadata: { c: 3 } })
    t.strictSame(after.metadata, { c: 3 })
  })

  await t.test('removes metadata for an empty object', async (t) => {
    t.notOk('metadata' in (await updateFlag({ key: 'f', name: 'G', metadata: {} })))
  })

  await t.test('sets the default variant', async (t) => {
    const after = await updateFlag({ key: 'f', name: 'G', defaultVariantId: variant.id })
    t.strictSame(after.defaultVariant, variant)
    t.strictSame(await getFlag({ key: 'f' }), after)
  })

  await t.test('clears the default variant when none is sent', async (t) => {
    t.notOk('defaultVariant' in (await updateFlag({ key: 'f', name: 'G' })))
  })
})

t.test('deleteFlag', async (t) => {
  const resources = await openResources(t)
  const { createFlag, deleteFlag, getFlag, createSegment, deleteSegment, db } = resources
  await createSegment({ key: 's', name: 'S' })
  await createFlag({ key: 'f', name: 'F' })
  const variant = await resources.createVariant({ flagKey: 'f', key: 'v' })
  await resources.updateFlag({ key: 'f', name: 'F', defaultVariantId: variant.id })
  const rule = await resources.createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  const [ruleId, variantId] = [rule.id, variant.id]
  await resources.createDistribution({ flagKey: 'f', ruleId, variantId, rollout: 100 })
  await resources.createRollout({ flagKey: 'f', rank: 1, segment: { segmentKey: 's' } })

  await t.test('removes everything in the flag', async (t) => {
    t.strictSame(await deleteFlag({ key: 'f' }), {})
    await t.rejects(getFlag({ key: 'f' }), { code: 'not_found' })
    const tables = ['variants', 'rules', 'rule_segments', 'distributions', 'rollouts']
    for (const table of [...tables, 'rollout_segments']) {
      t.strictSame(await db.query(`SELECT FROM resource.${table}`), [], table)
    }
  })

  await t.test('sets the segments free that it used', async (t) => {
    t.strictSame(await deleteSegment({ key: 's' }), {})
  })

  await t.test('leaves room for a new flag of the same key', async (t) => {
    t.strictSame((await createFlag({ key: 'f', name: 'F' })).variants, [])
  })
})

t.test('listFlags', async (t) => {
  const { createFlag, createVariant, listFlags, createNamespace } = await openResources(t)
  await createNamespace({ key: 'other', name: 'Other' })
  await createFlag({ namespaceKey: 'other', key: 'z', name: 'Z' })
  for (const key of ['c', 'a', 'b']) await createFlag({ key, name: key })
  await createVariant({ flagKey: 'a', key: 'second' })
  await createVariant({ flagKey: 'a', key: 'first' })

  await t.test('lists the flags of the namespace in the order of their creation', async (t) => {
    const { flags, totalCount, nextPageToken } = await listFlags({})
    t.strictSame(
      flags.map(({ key }) => key),
      ['c', 'a', 'b'],
    )
    t.equal(totalCount, 3)
    t.equal(nextPageToken, '')
  })

  await t.test('lists variants in the order of their creation', async (t) => {
    const { flags } = await listFlags({ namespaceKey: 'default' })
    t.strictSame(
      flags[1]?.variants.map(({ key }) => key),
      ['second', 'first'],
    )
  })
})
