import t from 'tap'
import { openResources } from '../testing/resources.ts'

/** Rules and rollouts, which have an order of their own each, by the same calls. */
async function openRanked(t: Parameters<typeof openResources>[0], kind: string) {
  const resources = await openResources(t)
  for (const key of ['f', 'g', 'h']) await resources.createFlag({ key, name: key })
  await resources.createSegment({ key: 's', name: 'S' })
  const { createRule, createRollout, listRules, listRollouts } = resources
  return kind === 'rules'
    ? {
        create: (flagKey: string, rank?: number) => createRule({ flagKey, rank, segmentKey: 's' }),
        list: async () => (await listRules({ flagKey: 'f' })).rules,
        order: (ids: string[]) => resources.orderRules({ flagKey: 'f', ruleIds: ids }),
        remove: (id: string) => resources.deleteRule({ flagKey: 'f', id }),
      }
    : {
        create: (flagKey: string, rank?: number) => createRollout({ flagKey, rank, threshold: {} }),
        list: async () => (await listRollouts({ flagKey: 'f' })).rules,
        order: (ids: string[]) => resources.orderRollouts({ flagKey: 'f', rolloutIds: ids }),
        remove: (id: string) => resources.deleteRollout({ flagKey: 'f', id }),
      }
}

for (const kind of ['rules', 'rollouts']) {
  t.test(`${kind} without a rank`, async (t) => {
    const { create, list } = await openRanked(t, kind)
    for (const rank of [4, 2]) await create('f', rank)

    await t.test('come last', async (t) => {
      t.equal((await create('f')).rank, 5)
      t.equal((await create('f', 0)).rank, 6)
      const ranks = (await list()).map(({ rank }) => rank)
      t.strictSame(ranks, [2, 4, 5, 6])
      t.equal((await create('h')).rank, 1, 'or first')
    })

    await t.test('have a rank each when many are made at the same time', async (t) => {
      const made = await Promise.all(Array.from({ length: 12 }, () => create('g')))
      const ranks = made.map(({ rank }) => rank).toSorted((a, b) => a - b)
      const upTo12 = Array.from({ length: 12 }, (_, i) => i + 1)
      t.strictSame(ranks, upTo12)
    })
  })

  t.test(`${kind} are ranked from 1 as they are listed, and their times move`, async (t) => {
    const { create, list, order } = await openRanked(t, kind)
    for (const rank of [1, 2, 5]) await create('f', rank)
    const before = await list()
    const [a = '', b = '', c = ''] = before.map(({ id }) => id)
    t.strictSame(await order([c, a, b]), {})
    const after = await list()
    const ranks = after.map(({ id, rank }) => `${id} ${rank}`)
    t.strictSame(ranks, [`${c} 1`, `${a} 2`, `${b} 3`])
    for (const { id, updatedAt } of before) {
      t.notSame(after.find((one) => one.id === id)?.updatedAt, updatedAt)
    }
  })

  t.test(`deleting one of ${kind} closes the gaps, and moves the times that change`, async (t) => {
    const { create, list, remove } = await openRanked(t, kind)
    for (const rank of [1, 2, 4, 9]) await create('f', rank)
    const before = await list()
    const [a = '', b = '', c = '', d = ''] = before.map(({ id }) => id)
    t.strictSame(await remove(b), {})
    const after = await list()
    const ranks = after.map(({ id, rank }) => `${id} ${rank}`)
    t.strictSame(ranks, [`${a} 1`, `${c} 2`, `${d} 3`])
    t.strictSame(after[0], before[0])
    t.notSame(after[1]?.updatedAt, before[2]?.updatedAt)
    t.notSame(after[2]?.updatedAt, before[3]?.updatedAt)
  })
}

t.test('rules of one rank keep the order of their creation', async (t) => {
  const { create, list, remove } = await openRanked(t, 'rules')
  for (const rank of [1, 4, 4, 2 ** 31 - 1]) await create('f', rank)
  const { id, rank } = await create('f')
  t.equal(rank, 2 ** 31 - 1, 'the highest there is')
  const [first, ...rest] = (await list()).map((rule) => rule.id)
  t.equal(rest.at(-1), id)
  await remove(first ?? '')
  const ranks = (await list()).map((rule) => `${rule.id} ${rule.rank}`)
  const expected = rest.map((one, index) => `${one} ${index + 1}`)
  t.strictSame(ranks, expected)
})
