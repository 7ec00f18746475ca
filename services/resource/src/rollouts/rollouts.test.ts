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

  await t.test('shows a single segment, however it was named, in segmentKey', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    const ways = [{ segmentKey: 'a' }, { segmentKeys: ['a'] }]
    for (const [index, way] of ways.entries()) {
      const segment = { ...way, segmentOperator } as const
      const made = await createRollout({ flagKey: 'f', rank: 3 + index, segment })
      const shown = { segmentKey: 'a', segmentKeys: [], value: false }
      t.strictSame(made.segment, { ...shown, segmentOperator: 'OR_SEGMENT_OPERATOR' })
    }
  })

  await t.test(
    'refuses a rank that is taken, before anything that it could not find',
    async (t) => {
      const refused = { code: 'already_exists', message: 'rank number: 1 already exists' }
      const segment = { segmentKey: 'nope' }
      await t.rejects(createRollout({ flagKey: 'f', rank: 1, segment }), refused)
      await t.rejects(createRollout({ flagKey: 'f', rank: 1 }), refused)
    },
  )

  await t.test('takes the rank of another flag', async (t) => {
    t.equal((await createRollout({ flagKey: 'g', rank: 1, threshold: {} })).rank, 1)
  })

  await t.test('lets one of many win who ask for the same rank at once', async (t) => {
    const rollout = { flagKey: 'g', rank: 7, threshold: {} }
    const tries = Array.from({ length: 10 }, () => createRollout(rollout))
    const results = await Promise.allSettled(tries)
    t.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    const lost = results.filter((result) => result.status === 'rejected')
    t.ok(lost.every(({ reason }) => reason.message === 'rank number: 7 already exists'))
  })

  const missing = [
    [{ flagKey: 'nope', threshold: {} }, 'flag "default/nope" not found'],
    [
      { flagKey: 'nope', segment: { segmentKey: 'a' } },
      'flag "default/nope or segment a" not found',
    ],
    [{ flagKey: 'f', segment: { segmentKey: 'x' } }, 'flag "default/f or segment x" not found'],
    [
      { flagKey: 'f', segment: { segmentKeys: ['a', 'x'] } },
      'flag "default/f or segment " not found',
    ],
  ] as const
  for (const [request, message] of missing) {
    await t.test(`refuses: ${message}`, async (t) => {
      await t.rejects(createRollout({ rank: 9, ...request }), { code: 'not_found', message })
    })
  }

  const range = 'invalid field threshold.percentage: must be within range [0, 100]'
  const choice = 'invalid field segmentKey or segmentKeys'
  const refusals = [
    [{ rank: 9, threshold: {} }, 'invalid field flagKey: must not be empty'],
    [{ flagKey: 'f', rank: 9 }, 'rollout rule is missing'],
    [{ flagKey: 'f', rank: 9, threshold: { percentage: -1 } }, range],
    [{ flagKey: 'f', rank: 9, threshold: { percentage: 100.1 } }, range],
    [{ flagKey: 'f', rank: 9, threshold: { percentage: Number.NaN } }, range],
    [{ flagKey: 'f', rank: 9, segment: {} }, `${choice}: must not be empty`],
    [
      { flagKey: 'f', rank: 9, segment: { segmentKey: 'a', segmentKeys: ['b'] } },
      `${choice}: only one can be present`,
    ],
    [
      { flagKey: 'f', rank: 9, segment: { segmentKey: 'a' }, threshold: {} },
      'invalid field segment or threshold: only one can be present',
    ],
    [
      { flagKey: 'f', rank: 9, segment: { segmentKey: 'a b' } },
      'invalid field segmentKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [
      { flagKey: 'f', rank: 9, segment: { segmentKeys: [''] } },
      'invalid field segmentKeys: must not be empty',
    ],
    [
      { flagKey: 'f', rank: -2, threshold: {} },
      "invalid field rank: must be greater than or equal to '0'",
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message} (${JSON.stringify(request)})`, async (t) => {
      await t.rejects(createRollout(request), { code: 'invalid_argument', message })
    })
  }
})

t.test('getRollout', async (t) => {
  const { createRollout, getRollout } = await openRollouts(t)
  const { id } = await createRollout({ flagKey: 'f', rank: 1, threshold: {} })

  await t.test('finds a rollout under its own flag only', async (t) => {
    const refused = { code: 'not_found', message: `rollout "default/${id}" not found` }
    await t.rejects(getRollout({ flagKey: 'g', id }), refused)
    const elsewhere = { code: 'not_found', message: `rollout "other/${id}" not found` }
    await t.rejects(getRollout({ namespaceKey: 'other', flagKey: 'f', id }), elsewhere)
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

  await t.test('does not turn one type into another', async (t) => {
    const types = 'have "THRESHOLD_ROLLOUT_TYPE" attempted "SEGMENT_ROLLOUT_TYPE"'
    const message = `cannot change type of rollout: ${types}`
    const change = updateRollout({ flagKey: 'f', id, segment })
    await t.rejects(change, { code: 'invalid_argument', message })
  })

  await t.test('refuses a segment that does not exist', async (t) => {
    const change = { flagKey: 'f', id: ofSegment.id, segment: { segmentKey: 'x' } }
    const message = 'flag "default/f or segment x" not found'
    await t.rejects(updateRollout(change), { code: 'not_found', message })
    const { segment } = await getRollout({ flagKey: 'f', id: ofSegment.id })
    t.strictSame(segment?.segmentKeys, ['c', 'b'])
  })

  await t.test('finds a rollout under its own flag only', async (t) => {
    const refused = { code: 'not_found', message: `rollout "default/${id}" not found` }
    await t.rejects(updateRollout({ flagKey: 'g', id, threshold }), refused)
  })

  const refusals = [
    [{ id, threshold }, 'invalid field flagKey: must not be empty'],
    [{ flagKey: 'f', id }, 'invalid field rule: invalid rollout rule type'],
    [
      { flagKey: 'f', id, threshold: { percentage: 101 } },
      'invalid field threshold.percentage: must be within range [0, 100]',
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message}`, async (t) => {
      await t.rejects(updateRollout(request), { code: 'invalid_argument', message })
    })
  }
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

  await t.test('lists nothing for a flag that does not exist', async (t) => {
    const empty = { rules: [], totalCount: 0, nextPageToken: '' }
    t.strictSame(await listRollouts({ flagKey: 'nope' }), empty)
  })
})
