import t from 'tap'
import { openResources } from '../testing/resources.ts'

/** A flag `f`, another `g`, and the segments `a`, `b` and `c`. */
async function openRules(t: Parameters<typeof openResources>[0]) {
  const resources = await openResources(t)
  for (const key of ['f', 'g']) await resources.createFlag({ key, name: key })
  for (const key of ['a', 'b', 'c']) await resources.createSegment({ key, name: key })
  return resources
}

t.test('createRule', async (t) => {
  const { createRule, getRule } = await openRules(t)

  await t.test('answers with what a later read answers', async (t) => {
    const made = await createRule({
      flagKey: 'f',
      segmentKeys: ['b', 'a'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
      rank: 1,
    })
    t.match(made, {
      id: /^[0-9a-f-]{36}$/,
      flagKey: 'f',
      segmentKey: '',
      distributions: [],
      rank: 1,
      namespaceKey: 'default',
      segmentKeys: ['b', 'a'],
      segmentOperator: 'AND_SEGMENT_OPERATOR',
    })
    t.strictSame(made.createdAt, made.updatedAt)
    t.strictSame(await getRule({ flagKey: 'f', id: made.id }), made)
  })

  await t.test('shows a single segment, however it was named, in segmentKey', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    for (const named of [{ segmentKey: 'a' }, { segmentKeys: ['a'] }]) {
      const rule = await createRule({ flagKey: 'f', ...named, segmentOperator, rank: 2 })
      const expected = { segmentKey: 'a', segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
      t.match(rule, expected)
      t.equal(rule.segmentKeys.length, 0)
    }
  })

  await t.test(
    'refuses a flag or a segment that does not exist, and names the segment',
    async (t) => {
      const missing = [
        [
          { flagKey: 'nope', segmentKey: 'a' },
          'flag "default/nope" or segment "default/a" not found',
        ],
        [{ flagKey: 'f', segmentKey: 'x' }, 'flag "default/f" or segment "default/x" not found'],
        [
          { flagKey: 'f', segmentKeys: ['a', 'y', 'x'] },
          'flag "default/f" or segment "default/y" not found',
        ],
      ] as const
      for (const [request, message] of missing) {
        await t.rejects(createRule({ ...request, rank: 1 }), { code: 'not_found', message })
      }
    },
  )

  const segments = 'invalid field segmentKey or segmentKeys'
  const refusals = [
    [{ segmentKey: 'a', rank: 1 }, 'invalid field flagKey: must not be empty'],
    [{ flagKey: 'f', rank: 1 }, `${segments}: must not be empty`],
    [
      { flagKey: 'f', segmentKey: 'a', segmentKeys: ['b'], rank: 1 },
      `${segments}: only one can be present`,
    ],
    [
      { flagKey: 'f', segmentKey: 'a b', rank: 1 },
      'invalid field segmentKey: contains invalid characters: allowed are letters, digits, "-", "_" and ","',
    ],
    [
      { flagKey: 'f', segmentKeys: ['a', ''], rank: 1 },
      'invalid field segmentKeys: must not be empty',
    ],
    [
      { flagKey: 'f', segmentKey: 'a', rank: -1 },
      "invalid field rank: must be greater than or equal to '0'",
    ],
  ] as const
  for (const [request, message] of refusals) {
    await t.test(`refuses: ${message} (${JSON.stringify(request)})`, async (t) => {
      await t.rejects(createRule(request), { code: 'invalid_argument', message })
    })
  }
})

t.test('getRule', async (t) => {
  const { createRule, getRule, createNamespace } = await openRules(t)
  const { id } = await createRule({ flagKey: 'f', segmentKey: 'a', rank: 1 })
  await createNamespace({ key: 'other', name: 'Other' })

  await t.test('finds a rule under its own flag and namespace only', async (t) => {
    const missing = { code: 'not_found', message: `rule "default/${id}" not found` }
    await t.rejects(getRule({ flagKey: 'g', id }), missing)
    const elsewhere = { code: 'not_found', message: `rule "other/${id}" not found` }
    await t.rejects(getRule({ namespaceKey: 'other', flagKey: 'f', id }), elsewhere)
  })
})

t.test('updateRule', async (t) => {
  const { createRule, updateRule, getRule, revision } = await openRules(t)
  const before = await createRule({ flagKey: 'f', segmentKey: 'a', rank: 3 })
  const { id } = before
  const refused = { code: 'not_found', message: `rule "default/${id}" not found` }

  await t.test('replaces the segments and keeps the rank', async (t) => {
    const segmentOperator = 'AND_SEGMENT_OPERATOR'
    const after = await updateRule({ flagKey: 'f', id, segmentKeys: ['c', 'b'], segmentOperator })
    t.match(after, { segmentKey: '', segmentKeys: ['c', 'b'], segmentOperator, rank: 3 })
    t.strictSame(after.createdAt, before.createdAt)
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getRule({ flagKey: 'f', id }), after)
  })

  await t.test('changes nothing for a segment that does not exist', async (t) => {
    const revisionBefore = await revision()
    await t.rejects(updateRule({ flagKey: 'f', id, segmentKeys: ['a', 'x'] }), refused)
    t.strictSame((await getRule({ flagKey: 'f', id })).segmentKeys, ['c', 'b'])
    t.equal(await revision(), revisionBefore)
  })

  await t.test('does not find the rule under another flag', async (t) => {
    await t.rejects(updateRule({ flagKey: 'g', id, segmentKey: 'a' }), refused)
    t.strictSame((await getRule({ flagKey: 'f', id })).segmentKeys, ['c', 'b'])
  })

  await t.test('needs an id, a flag and a segment', async (t) => {
    const [noId, noFlag] = ['invalid field id', 'invalid field flagKey']
    const [empty, segments] = ['must not be empty', 'invalid field segmentKey or segmentKeys']
    await t.rejects(updateRule({ flagKey: 'f' }), { message: `${noId}: ${empty}` })
    await t.rejects(updateRule({ id }), { message: `${noFlag}: ${empty}` })
    await t.rejects(updateRule({ flagKey: 'f', id }), { message: `${segments}: ${empty}` })
  })
})

t.test('listRules', async (t) => {
  const { createRule, listRules } = await openRules(t)
  for (const [rank, segmentKey] of [
    [2, 'a'],
    [1, 'b'],
    [2, 'c'],
  ] as const) {
    await createRule({ flagKey: 'f', segmentKey, rank })
  }

  await t.test('lists by rank, and by creation where ranks are equal', async (t) => {
    const { rules, totalCount } = await listRules({ flagKey: 'f' })
    t.strictSame(
      rules.map(({ segmentKey }) => segmentKey),
      ['b', 'a', 'c'],
    )
    t.equal(totalCount, 3)
  })

  await t.test('lists nothing for a flag that does not exist', async (t) => {
    const empty = { rules: [], totalCount: 0, nextPageToken: '' }
    t.strictSame(await listRules({ flagKey: 'nope' }), empty)
  })

  await t.test('pages through equal ranks', async (t) => {
    const first = await listRules({ flagKey: 'f', limit: 2 })
    const second = await listRules({ flagKey: 'f', limit: 2, pageToken: first.nextPageToken })
    const seen = [...first.rules, ...second.rules].map(({ segmentKey }) => segmentKey)
    t.strictSame(seen, ['b', 'a', 'c'])
    t.equal(second.nextPageToken, '')
  })
})
