import t from 'tap'
import { openResources, type Resources } from '../testing/resources.ts'

/** Flags `f` with rollouts of the given ranks, and `g` with one. */
async function openRanked(t: Parameters<typeof openResources>[0], ...ranks: number[]) {
  const resources = await openResources(t)
  const type = 'BOOLEAN_FLAG_TYPE'
  for (const key of ['f', 'g']) await resources.createFlag({ key, name: key, type })
  const ids: string[] = []
  for (const rank of ranks) {
    ids.push((await resources.createRollout({ flagKey: 'f', rank, threshold: {} })).id)
  }
  const foreign = await resources.createRollout({ flagKey: 'g', rank: 1, threshold: {} })
  return { ...resources, ids, foreign: foreign.id }
}

async function rolloutsOf({ listRollouts }: Resources) {
  return (await listRollouts({ flagKey: 'f' })).rules
}

t.test('createRollout without a rank', async (t) => {
  const resources = await openRanked(t, 4, 2)
  const { createRollout, createFlag } = resources
  const last = { flagKey: 'f', threshold: {} }

  await t.test('makes the last one', async (t) => {
    t.equal((await createRollout(last)).rank, 5)
    t.equal((await createRollout({ ...last, rank: 0 })).rank, 6)
    t.strictSame(
      (await rolloutsOf(resources)).map(({ rank }) => rank),
      [2, 4, 5, 6],
    )
    await createFlag({ key: 'h', name: 'H', type: 'BOOLEAN_FLAG_TYPE' })
    t.equal((await createRollout({ ...last, flagKey: 'h' })).rank, 1, 'or the first')
  })

  await t.test('gives many that are made at the same time a rank each', async (t) => {
    await createFlag({ key: 'i', name: 'I', type: 'BOOLEAN_FLAG_TYPE' })
    const made = Array.from({ length: 12 }, () => createRollout({ ...last, flagKey: 'i' }))
    const ranks = (await Promise.all(made)).map(({ rank }) => rank)
    t.strictSame(
      ranks.toSorted((a, b) => a - b),
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
  })

  await t.test('is refused after the highest rank there is', async (t) => {
    await createRollout({ ...last, rank: 2 ** 31 - 1 })
    const message = 'rank number: 2147483647 already exists'
    await t.rejects(createRollout(last), { code: 'already_exists', message })
  })
})

t.test('orderRollouts', async (t) => {
  const resources = await openRanked(t, 1, 2, 5)
  const { orderRollouts, ids, foreign, revision } = resources
  const [a = '', b = '', c = ''] = ids

  await t.test('ranks the rollouts from 1 as they are listed, and moves their times', async (t) => {
    const before = await rolloutsOf(resources)
    t.strictSame(await orderRollouts({ flagKey: 'f', rolloutIds: [b, a, c] }), {})
    const after = await rolloutsOf(resources)
    t.strictSame(
      after.map(({ id, rank }) => [id, rank]),
      [
        [b, 1],
        [a, 2],
        [c, 3],
      ],
    )
    for (const { id, updatedAt } of before) {
      t.notSame(after.find((rollout) => rollout.id === id)?.updatedAt, updatedAt)
    }
  })

  const field = 'invalid field rolloutIds'
  const exact = `${field}: must contain all ids of the flag, each of them once`
  const refusals = [
    ['one id', [a], `${field}: must contain atleast 2 elements`],
    ['some of the ids', [a, b], exact],
    ['an id twice', [a, b, b], exact],
    ['the id of another flag', [a, b, foreign], exact],
  ] as const
  for (const [what, rolloutIds, message] of refusals) {
    await t.test(`refuses ${what} and changes nothing`, async (t) => {
      const before = await revision()
      const refused = { code: 'invalid_argument', message }
      await t.rejects(orderRollouts({ flagKey: 'f', rolloutIds }), refused)
      t.equal(await revision(), before)
    })
  }

  await t.test('refuses a flag that does not exist', async (t) => {
    const refused = { code: 'not_found', message: 'flag "default/nope" not found' }
    await t.rejects(orderRollouts({ flagKey: 'nope', rolloutIds: [a, b] }), refused)
  })
})

t.test('deleteRollout', async (t) => {
  const resources = await openRanked(t, 1, 2, 9)
  const { deleteRollout, ids, foreign, revision } = resources
  const [a = '', b = '', c = ''] = ids

  await t.test(
    'closes the gaps in the ranks, and moves the times of what it touches',
    async (t) => {
      const before = await rolloutsOf(resources)
      t.strictSame(await deleteRollout({ flagKey: 'f', id: b }), {})
      const after = await rolloutsOf(resources)
      t.strictSame(
        after.map(({ id, rank }) => [id, rank]),
        [
          [a, 1],
          [c, 2],
        ],
      )
      t.strictSame(after[0], before[0])
      t.notSame(after[1]?.updatedAt, before[2]?.updatedAt)
    },
  )

  await t.test('is no error when the flag has none such', async (t) => {
    const before = await revision()
    t.strictSame(await deleteRollout({ flagKey: 'f', id: foreign }), {})
    t.strictSame(await deleteRollout({ flagKey: 'f', id: b }), {})
    t.equal(await revision(), before)
  })

  await t.test('needs an id and a flag', async (t) => {
    const noId = { message: 'invalid field id: must not be empty' }
    await t.rejects(deleteRollout({ flagKey: 'f' }), noId)
    const noFlag = { message: 'invalid field flagKey: must not be empty' }
    await t.rejects(deleteRollout({ id: a }), noFlag)
  })
})
