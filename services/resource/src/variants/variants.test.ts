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

  await t.test('refuses a key that the flag has', async (t) => {
    const message = 'variant "any key ☺" is not unique for flag "default/f"'
    const again = createVariant({ flagKey: 'f', key: 'any key ☺' })
    await t.rejects(again, { code: 'already_exists', message })
  })

  await t.test('takes the key that another flag has', async (t) => {
    await createFlag({ key: 'g', name: 'G', type: 'BOOLEAN_FLAG_TYPE' })
    t.equal((await createVariant({ flagKey: 'g', key: 'any key ☺' })).flagKey, 'g')
  })

  await t.test('refuses a flag that does not exist', async (t) => {
    const refused = { code: 'not_found', message: 'flag "default/nope" not found' }
    await t.rejects(createVariant({ flagKey: 'nope', key: 'v' }), refused)
  })

  const refusals = [
    [{ key: 'v' }, 'invalid field flagKey: must not be empty'],
    [
      { flagKey: 'a b', key: 'v' },
      'invalid field flagKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [{ flagKey: 'f' }, 'invalid field key: must not be empty'],
    [{ flagKey: 'f', key: 'k'.repeat(256) }, 'invalid field key: must be at most 255 characters'],
    [
      { flagKey: 'f', key: 'v', name: 'n'.repeat(256) },
      'invalid field name: must be at most 255 characters',
    ],
    [
      { flagKey: 'f', key: 'v', attachment: '{a}' },
      'invalid field attachment: must be a json string',
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message}`, async (t) => {
      await t.rejects(createVariant(request), { code: 'invalid_argument', message })
    })
  }
})

t.test('updateVariant', async (t) => {
  const { createFlag, createVariant, updateVariant, getFlag } = await openResources(t)
  await createFlag({ key: 'f', name: 'F' })
  await createFlag({ key: 'g', name: 'G' })
  const { id, createdAt, updatedAt } = await createVariant({ flagKey: 'f', key: 'v', name: 'V' })
  await createVariant({ flagKey: 'f', key: 'taken' })

  await t.test('replaces name, description and attachment, and keeps a key unsent', async (t) => {
    const after = await updateVariant({ flagKey: 'f', id, description: 'D', attachment: '[ ]' })
    t.match(after, { key: 'v', name: '', description: 'D', attachment: '[]', createdAt })
    t.notSame(after.updatedAt, updatedAt)
    t.strictSame((await getFlag({ key: 'f' })).variants[0], after)
  })

  await t.test('renames it for a key that is sent', async (t) => {
    t.equal((await updateVariant({ flagKey: 'f', id, key: 'w' })).key, 'w')
  })

  await t.test('refuses a key that another variant has', async (t) => {
    const message = 'variant "taken" is not unique for flag "default/f"'
    const rename = updateVariant({ flagKey: 'f', id, key: 'taken' })
    await t.rejects(rename, { code: 'already_exists', message })
  })

  await t.test(
    'names the key in the request when there is no such variant, or the id',
    async (t) => {
      const byKey = updateVariant({ flagKey: 'f', id: 'nope', key: 'k' })
      await t.rejects(byKey, { code: 'not_found', message: 'variant "k" not found' })
      const byId = updateVariant({ flagKey: 'f', id: 'nope' })
      await t.rejects(byId, { code: 'not_found', message: 'variant "nope" not found' })
    },
  )

  await t.test('does not find it under another flag', async (t) => {
    const refused = { code: 'not_found', message: `variant "${id}" not found` }
    await t.rejects(updateVariant({ flagKey: 'g', id }), refused)
  })

  const refusals = [
    [{ flagKey: 'f' }, 'invalid field id: must not be empty'],
    [{ id: 'i' }, 'invalid field flagKey: must not be empty'],
    [{ id: 'i'.repeat(256), flagKey: 'f' }, 'invalid field id: must be at most 255 characters'],
    [{ id: 'a\0b', flagKey: 'f' }, 'invalid field id: must not contain U+0000'],
    [
      { id: 'i', flagKey: 'f', attachment: 'nope' },
      'invalid field attachment: must be a json string',
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message}`, async (t) => {
      await t.rejects(updateVariant(request), { code: 'invalid_argument', message })
    })
  }
})

t.test('deleteVariant', async (t) => {
  const resources = await openResources(t)
  const { createFlag, createVariant, deleteVariant, getFlag, getRule, revision } = resources
  await createFlag({ key: 'f', name: 'F' })
  await createFlag({ key: 'g', name: 'G' })
  await resources.createSegment({ key: 's', name: 'S' })
  const { id } = await createVariant({ flagKey: 'f', key: 'v' })
  const other = await createVariant({ flagKey: 'f', key: 'w' })
  await resources.updateFlag({ key: 'f', name: 'F', defaultVariantId: id })
  const rule = await resources.createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
  for (const variantId of [id, other.id]) {
    const distribution = { flagKey: 'f', ruleId: rule.id, variantId, rollout: 50 }
    await resources.createDistribution(distribution)
  }

  await t.test('does not find it under another flag', async (t) => {
    const before = await revision()
    t.strictSame(await deleteVariant({ flagKey: 'g', id }), {})
    t.equal((await getFlag({ key: 'f' })).variants.length, 2)
    t.equal(await revision(), before)
  })

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

  await t.test('is no error when there is none', async (t) => {
    t.strictSame(await deleteVariant({ flagKey: 'f', id }), {})
    t.strictSame(await deleteVariant({ flagKey: 'nope', id }), {})
  })
})
