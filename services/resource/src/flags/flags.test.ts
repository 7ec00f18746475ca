import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('createFlag', async (t) => {
  const { createFlag, getFlag, revision } = await openResources(t)

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

  await t.test('makes a variant flag unless told otherwise', async (t) => {
    t.equal((await createFlag({ key: 'color', name: 'Color' })).type, 'VARIANT_FLAG_TYPE')
  })

  await t.test('keeps no metadata that is empty', async (t) => {
    t.notOk('metadata' in (await createFlag({ key: 'plain', name: 'Plain', metadata: {} })))
    t.notOk('metadata' in (await getFlag({ key: 'plain' })))
  })

  await t.test('refuses a key that is taken', async (t) => {
    const refused = { code: 'already_exists', message: 'flag "default/color" is not unique' }
    await t.rejects(createFlag({ key: 'color', name: 'Again' }), refused)
  })

  await t.test('lets one of many win who ask for the same key at once', async (t) => {
    const tries = Array.from({ length: 10 }, () => createFlag({ key: 'race', name: 'Race' }))
    const results = await Promise.allSettled(tries)
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    const lost = results.filter((result) => result.status === 'rejected')
    t.ok(lost.every(({ reason }) => reason.message === 'flag "default/race" is not unique'))
  })

  await t.test('refuses a namespace that does not exist', async (t) => {
    const refused = { code: 'not_found', message: 'namespace "nope" not found' }
    await t.rejects(createFlag({ namespaceKey: 'nope', key: 'f', name: 'F' }), refused)
  })

  const long = 'x'.repeat(65_537)
  const refusals = [
    [{ name: 'N' }, 'invalid field key: must not be empty'],
    [
      { key: 'a b' },
      'invalid field key: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [
      { key: 'a.b', name: 'N' },
      'invalid field key: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [
      { key: 'ключ', name: 'N' },
      'invalid field key: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [{ key: 'k'.repeat(256), name: 'N' }, 'invalid field key: must be at most 255 characters'],
    [{ key: 'k' }, 'invalid field name: must not be empty'],
    [{ key: 'k', name: 'n'.repeat(256) }, 'invalid field name: must be at most 255 characters'],
    [
      { key: 'k', name: 'N', description: long },
      'invalid field description: must be at most 65536 bytes',
    ],
    [
      { key: 'k', name: 'N', metadata: { long } },
      'invalid field metadata: must be at most 65536 bytes',
    ],
    [
      { key: 'k', name: 'N', metadata: { n: Infinity } },
      'invalid field metadata: must hold finite numbers only',
    ],
    [
      { key: 'k', name: 'N', metadata: { 'a\0b': 1 } },
      'invalid field metadata: must not contain U+0000',
    ],
    [
      { key: 'k', name: 'N', metadata: { a: ['\ud800'] } },
      'invalid field metadata: must be well-formed Unicode',
    ],
    [
      { namespaceKey: 'a/b', key: 'k', name: 'N' },
      'invalid field namespaceKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message}`, async (t) => {
      const before = await revision()
      await t.rejects(createFlag(request), { code: 'invalid_argument', message })
      t.equal(await revision(), before)
    })
  }
})

t.test('a flag that does not exist', async (t) => {
  const { getFlag, updateFlag, deleteFlag, revision } = await openResources(t)
  const refused = { code: 'not_found', message: 'flag "default/nope" not found' }

  await t.test('cannot be read or updated', async (t) => {
    await t.rejects(getFlag({ key: 'nope' }), refused)
    await t.rejects(updateFlag({ key: 'nope', name: 'N' }), refused)
    await t.rejects(updateFlag({ key: 'nope', name: 'N', defaultVariantId: 'x' }), refused)
  })

  await t.test('is deleted without an error, nor a new revision', async (t) => {
    const before = await revision()
    t.strictSame(await deleteFlag({ key: 'nope' }), {})
    t.strictSame(await deleteFlag({ namespaceKey: 'nope', key: 'nope' }), {})
    t.equal(await revision(), before)
  })

  await t.test('cannot be asked for by what is no key', async (t) => {
    const invalid = {
      message:
        'invalid field key: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    }
    await t.rejects(getFlag({ key: '..' }), invalid)
    await t.rejects(updateFlag({ key: 'a/b', name: 'N' }), invalid)
    await t.rejects(deleteFlag({ key: '' }), { message: 'invalid field key: must not be empty' })
  })
})

t.test('updateFlag', async (t) => {
  const { createFlag, createVariant, updateFlag, getFlag } = await openResources(t)
  const metadata = { b: 1, a: 2 }
  const before = await createFlag({ key: 'f', name: 'F', description: 'Old', metadata })
  const variant = await createVariant({ flagKey: 'f', key: 'v' })
  await createFlag({ key: 'other', name: 'Other' })
  const foreign = await createVariant({ flagKey: 'other', key: 'v' })

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

  await t.test('refuses the variant of another flag as the default', async (t) => {
    await t.rejects(updateFlag({ key: 'f', name: 'G', defaultVariantId: foreign.id }), {
      code: 'invalid_argument',
      message: `variant "${foreign.id}" not found for flag "default/f"`,
    })
  })

  await t.test('needs a name', async (t) => {
    const refused = { message: 'invalid field name: must not be empty' }
    await t.rejects(updateFlag({ key: 'f' }), refused)
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

  await t.test('lists nothing for a namespace that does not exist', async (t) => {
    const empty = { flags: [], totalCount: 0, nextPageToken: '' }
    t.strictSame(await listFlags({ namespaceKey: 'nope' }), empty)
  })
})
