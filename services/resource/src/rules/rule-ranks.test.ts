import t from 'tap'
import { openResources, type Resources } from '../testing/resources.ts'

/** Flags `f` with rules of the given ranks, and `g` with one. */
async function openRanked(t: Parameters<typeof openResources>[0], ...ranks: number[]) {
  const resources = await openResources(t)
  for (const key of ['f', 'g']) await resources.createFlag({ key, name: key })
  await resources.createSegment({ key: 's', name: 'S' })
  const ids: string[] = []
  for (const rank of ranks) {
    ids.push((await resources.createRule({ flagKey: 'f', segmentKey: 's', rank })).id)
  }
  const foreign = await resources.createRule({ flagKey: 'g', segmentKey: 's', rank: 1 })
  return { ...resources, ids, foreign: foreign.id }
}

async function rulesOf({ listRules }: Resources) {
  return (await listRules({ flagKey: 'f' })).rules
}

t.test('createRule without a rank', async (t) => {
  const resources = await openRanked(t, 4, 2)
  const { createRule, createFlag } = resources
  const last = { flagKey: 'f', segmentKey: 's' }

  await t.test('makes the last one', async (t) => {
    t.equal((await createRule(last)).rank, 5)
    t.equal((await createRule({ ...last, rank: 0 })).rank, 6)
    t.strictSame(
      (await rulesOf(resources)).map(({ rank }) => rank),
      [2, 4, 5, 6],
    )
    await createFlag({ key: 'h', name: 'H' })
    t.equal((await createRule({ ...last, flagKey: 'h' })).rank, 1, 'or the first')
  })

  await t.test('gives many that are made at the same time a rank each', async (t) => {
    await createFlag({ key: 'i', name: 'I' })
    const made = Array.from({ length: 12 }, () => createRule({ ...last, flagKey: 'i' }))
    const ranks = (await Promise.all(made)).map(({ rank }) => rank)
    t.strictSame(
      ranks.toSorted((a, b) => a - b),
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
  })

  await t.test('comes last after the highest rank there is', async (t) => {
    const rank = 2 ** 31 - 1
    await createRule({ ...last, rank })
    const { id } = await createRule(last)
    t.match((await rulesOf(resources)).at(-1), { id, rank })
  })
})

t.test('orderRules', async (t) => {
  const resources = await openRanked(t, 1, 2, 5)
  const { orderRules, ids, foreign, revision } = resources
  const [a = '', b = '', c = ''] = ids

  await t.test('ranks the rules from 1 as they are listed, and moves their times', async (t) => {
    const before = await rulesOf(resources)
    t.strictSame(await orderRules({ flagKey: 'f', ruleIds: [c, a, b] }), {})
    const after = await rulesOf(resources)
    t.strictSame(
      after.map(({ id, rank }) => [id, rank]),
      [
        [c, 1],
        [a, 2],
        [b, 3],
      ],
    )
    for (const { id, updatedAt } of before) {
      t.notSame(after.find((rule) => rule.id === id)?.updatedAt, updatedAt)
    }
  })

  const field = 'invalid field ruleIds'
  const exact = `${field}: must contain all ids of the flag, each of them once`
  const refusals = [
    ['no ids', [], `${field}: must contain atleast 2 elements`],
    ['one id', [a], `${field}: must contain atleast 2 elements`],
    ['some of the ids', [a, b], exact],
    ['an id twice', [a, b, b], exact],
    ['an id too many', [a, b, c, c], exact],
    ['the id of another flag', [a, b, foreign], exact],
  ] as const
  for (const [what, ruleIds, message] of refusals) {
    await t.test(`refuses ${what} and changes nothing`, async (t) => {
      const before = await revision()
      const refused = { code: 'invalid_argument', message }
      await t.rejects(orderRules({ flagKey: 'f', ruleIds }), refused)
      t.equal(await revision(), before)
    })
  }

  await t.test('refuses a flag that does not exist', async (t) => {
    const refused = { code: 'not_found', message: 'flag "default/nope" not found' }
    await t.rejects(orderRules({ flagKey: 'nope', ruleIds: [a, b] }), refused)
  })
})

t.test('deleteRule', async (t) => {
  const resources = await openRanked(t, 1, 4, 4, 9)
  const { deleteRule, ids, foreign, revision } = resources
  const [a = '', b = '', c = '', d = ''] = ids

  await t.test(
    'closes the gaps in the ranks, and moves the times of what it touches',
    async (t) => {
      const before = await rulesOf(resources)
      t.strictSame(await deleteRule({ flagKey: 'f', id: b }), {})
      const after = await rulesOf(resources)
      t.strictSame(
        after.map(({ id, rank }) => [id, rank]),
        [
          [a, 1],
          [c, 2],
          [d, 3],
        ],
      )
      t.strictSame(after[0], before[0])
      t.notSame(after[1]?.updatedAt, before[2]?.updatedAt)
      t.notSame(after[2]?.updatedAt, before[3]?.updatedAt)
    },
  )

  await t.test('does not find a rule under another flag', async (t) => {
    const before = await revision()
    t.strictSame(await deleteRule({ flagKey: 'f', id: foreign }), {})
    t.equal(await revision(), before)
  })

  await t.test('is no error when there is none', async (t) => {
    const before = await revision()
    t.strictSame(await deleteRule({ flagKey: 'f', id: b }), {})
    t.strictSame(await deleteRule({ flagKey: 'nope', id: b }), {})
    t.equal(await revision(), before)
  })

  await t.test('needs an id and a flag', async (t) => {
    const noId = { message: 'invalid field id: must not be empty' }
    await t.rejects(deleteRule({ flagKey: 'f' }), noId)
    const noFlag = { message: 'invalid field flagKey: must not be empty' }
    await t.rejects(deleteRule({ id: a }), noFlag)
  })
})
