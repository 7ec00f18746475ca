import t from 'tap'
import { openResources } from '../testing/resources.ts'

/** A flag `f` with two variants and two rules, and a flag `g` with one of each. */
async function openSplit(t: Parameters<typeof openResources>[0]) {
  const resources = await openResources(t)
  const { createFlag, createVariant, createSegment, createRule } = resources
  await createSegment({ key: 's', name: 'S' })
  for (const key of ['f', 'g']) await createFlag({ key, name: key })
  const [a, b] = ['a', 'b'].map((key) => ({ flagKey: 'f', key }))
  const segment = { segmentKey: 's', rank: 1 }
  return {
    ...resources,
    a: (await createVariant(a ?? {})).id,
    b: (await createVariant(b ?? {})).id,
    foreignVariant: (await createVariant({ flagKey: 'g', key: 'a' })).id,
    ruleId: (await createRule({ flagKey: 'f', ...segment })).id,
    otherRule: (await createRule({ flagKey: 'f', ...segment })).id,
    foreignRule: (await createRule({ flagKey: 'g', ...segment })).id,
  }
}

t.test('createDistribution', async (t) => {
  const resources = await openSplit(t)
  const { createDistribution, getRule, getFlag, a, b, ruleId } = resources
  const { updatedAt } = await getFlag({ key: 'f' })

  await t.test('answers with what the rule then holds', async (t) => {
    const made = await createDistribution({ flagKey: 'f', ruleId, variantId: b, rollout: 33.33 })
    const { id, createdAt, ...rest } = made
    t.match(id, /^[0-9a-f-]{36}$/)
    t.strictSame(rest, { ruleId, variantId: b, rollout: 33.33, updatedAt: createdAt })
    t.strictSame((await getRule({ flagKey: 'f', id: ruleId })).distributions, [made])
  })

  await t.test('keeps the order of their creation, in which entities are split', async (t) => {
    await createDistribution({ flagKey: 'f', ruleId, variantId: a, rollout: 66.67 })
    const { distributions } = await getRule({ flagKey: 'f', id: ruleId })
    t.strictSame(
      distributions.map(({ variantId, rollout }) => [variantId, rollout]),
      [
        [b, 33.33],
        [a, 66.67],
      ],
    )
  })

  await t.test('leaves the time of the flag alone', async (t) => {
    t.strictSame((await getFlag({ key: 'f' })).updatedAt, updatedAt)
  })

  await t.test('compares in the 32 bits that it stores', async (t) => {
    const share = { flagKey: 'f', ruleId, variantId: a }
    t.equal((await createDistribution({ ...share, rollout: 100.000001 })).rollout, 100)
    t.equal((await createDistribution({ ...share, rollout: Math.fround(0.1) })).rollout, 0.1)
  })

  const { foreignVariant, foreignRule } = resources
  const strangers = [
    ['a rule that does not exist', { flagKey: 'f', ruleId: 'nope', variantId: a }],
    ['the rule of another flag', { flagKey: 'f', ruleId: foreignRule, variantId: a }],
    ['a variant that does not exist', { flagKey: 'f', ruleId, variantId: 'nope' }],
    ['the variant of another flag', { flagKey: 'f', ruleId, variantId: foreignVariant }],
    ['another flag', { flagKey: 'g', ruleId, variantId: a }],
  ] as const
  for (const [what, request] of strangers) {
    await t.test(`refuses ${what}`, async (t) => {
      const { variantId, ruleId, flagKey } = request
      const parents = `variant "${variantId}", rule "${ruleId}", flag "${flagKey}"`
      const message = `${parents} in namespace "default" not found`
      await t.rejects(createDistribution(request), { code: 'not_found', message })
    })
  }

  const share = { flagKey: 'f', ruleId, variantId: a, rollout: 1 }
  const atLeast = "invalid field rollout: must be greater than or equal to '0'"
  const refusals = [
    [{ ...share, flagKey: '' }, 'invalid field flagKey: must not be empty'],
    [{ ...share, ruleId: '' }, 'invalid field ruleId: must not be empty'],
    [{ ...share, variantId: '' }, 'invalid field variantId: must not be empty'],
    [{ ...share, rollout: -0.1 }, atLeast],
    [{ ...share, rollout: Number.NaN }, atLeast],
    [{ ...share, rollout: 100.1 }, "invalid field rollout: must be less than or equal to '100'"],
    [{ ...share, rollout: Infinity }, "invalid field rollout: must be less than or equal to '100'"],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message} (${request.rollout})`, async (t) => {
      await t.rejects(createDistribution(request), { code: 'invalid_argument', message })
    })
  }
})

t.test('updateDistribution', async (t) => {
  const { createDistribution, updateDistribution, getRule, ...rest } = await openSplit(t)
  const { a, b, ruleId, otherRule, foreignVariant } = rest
  const before = await createDistribution({ flagKey: 'f', ruleId, variantId: a, rollout: 10 })
  const { id } = before
  const refused = { code: 'not_found', message: `distribution "${id}" not found` }

  await t.test('replaces the variant and the share', async (t) => {
    const change = { flagKey: 'f', ruleId, id, variantId: b, rollout: 90 }
    const after = await updateDistribution(change)
    t.match(after, { id, ruleId, variantId: b, rollout: 90, createdAt: before.createdAt })
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame((await getRule({ flagKey: 'f', id: ruleId })).distributions, [after])
  })

  await t.test('does not find it under another rule', async (t) => {
    const elsewhere = { flagKey: 'f', ruleId: otherRule, id, variantId: a }
    await t.rejects(updateDistribution(elsewhere), refused)
  })

  await t.test('does not find one that does not exist', async (t) => {
    const missing = { flagKey: 'f', ruleId, id: 'nope', variantId: a }
    const message = 'distribution "nope" not found'
    await t.rejects(updateDistribution(missing), { code: 'not_found', message })
  })

  await t.test('refuses the variant of another flag', async (t) => {
    const stranger = { flagKey: 'f', ruleId, id, variantId: foreignVariant }
    await t.rejects(updateDistribution(stranger), { code: 'not_found', message: /^variant "/ })
  })

  await t.test('needs an id', async (t) => {
    const message = 'invalid field id: must not be empty'
    await t.rejects(updateDistribution({ flagKey: 'f', ruleId, variantId: a }), { message })
  })
})

t.test('deleteDistribution', async (t) => {
  const { createDistribution, deleteDistribution, getRule, ...rest } = await openSplit(t)
  const { a, b, ruleId, otherRule, revision } = rest
  const { id } = await createDistribution({ flagKey: 'f', ruleId, variantId: a, rollout: 10 })

  await t.test('takes all of its names to be right', async (t) => {
    const before = await revision()
    const wrong = [{ flagKey: 'g' }, { ruleId: otherRule }, { variantId: b }, { id: 'nope' }]
    for (const change of wrong) {
      const target = { flagKey: 'f', ruleId, id, variantId: a, ...change }
      t.strictSame(await deleteDistribution(target), {})
    }
    t.equal((await getRule({ flagKey: 'f', id: ruleId })).distributions.length, 1)
    t.equal(await revision(), before)
  })

  await t.test('removes it', async (t) => {
    t.strictSame(await deleteDistribution({ flagKey: 'f', ruleId, id, variantId: a }), {})
    t.strictSame((await getRule({ flagKey: 'f', id: ruleId })).distributions, [])
  })

  for (const field of ['id', 'flagKey', 'ruleId', 'variantId']) {
    await t.test(`needs ${field}`, async (t) => {
      const target = { flagKey: 'f', ruleId, id, variantId: a, [field]: '' }
      const message = `invalid field ${field}: must not be empty`
      await t.rejects(deleteDistribution(target), { code: 'invalid_argument', message })
    })
  }
})
