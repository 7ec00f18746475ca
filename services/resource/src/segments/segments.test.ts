import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('createSegment', async (t) => {
  const { createSegment, getSegment } = await openResources(t)

  await t.test('answers with what a later read answers', async (t) => {
    const made = await createSegment({
      key: 'beta',
      name: 'Beta',
      description: 'Early birds',
      matchType: 'ANY_MATCH_TYPE',
    })
    const { createdAt, ...rest } = made
    t.strictSame(rest, {
      key: 'beta',
      name: 'Beta',
      description: 'Early birds',
      updatedAt: createdAt,
      constraints: [],
      matchType: 'ANY_MATCH_TYPE',
      namespaceKey: 'default',
    })
    t.strictSame(await getSegment({ namespaceKey: 'default', key: 'beta' }), made)
  })

  await t.test('requires all constraints by default', async (t) => {
    t.equal((await createSegment({ key: 'all', name: 'All' })).matchType, 'ALL_MATCH_TYPE')
  })
})

t.test('updateSegment', async (t) => {
  const { createSegment, updateSegment, getSegment } = await openResources(t)
  const matchType = 'ANY_MATCH_TYPE'
  const before = await createSegment({ key: 's', name: 'S', description: 'Old', matchType })

  await t.test('replaces everything, the match type with all when none is sent', async (t) => {
    const after = await updateSegment({ key: 's', name: 'T' })
    t.match(after, { name: 'T', description: '', matchType: 'ALL_MATCH_TYPE' })
    t.strictSame(after.createdAt, before.createdAt)
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getSegment({ key: 's' }), after)
  })
})

t.test('deleteSegment', async (t) => {
  const resources = await openResources(t)
  const { createSegment, deleteSegment, createFlag, createRule, createRollout, db } = resources
  await createFlag({ key: 'f', name: 'F' })
  const inUse = { code: 'invalid_argument', message: 'segment "default/s" is in use' }

  await t.test('removes its constraints', async (t) => {
    await createSegment({ key: 's', name: 'S' })
    const constraint = { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'true' } as const
    await resources.createConstraint({ segmentKey: 's', ...constraint })
    t.strictSame(await deleteSegment({ key: 's' }), {})
    t.strictSame(await db.query('SELECT FROM resource.constraints'), [])
  })

  await t.test('spares one that a rule uses', async (t) => {
    await createSegment({ key: 's', name: 'S' })
    const { id } = await createRule({ flagKey: 'f', segmentKey: 's', rank: 1 })
    await t.rejects(deleteSegment({ key: 's' }), inUse)
    await resources.deleteRule({ flagKey: 'f', id })
    t.strictSame(await deleteSegment({ key: 's' }), {})
  })

  await t.test('spares one that a rollout uses', async (t) => {
    await createSegment({ key: 's', name: 'S' })
    const segment = { segmentKey: 's' }
    const { id } = await createRollout({ flagKey: 'f', rank: 1, segment })
    await t.rejects(deleteSegment({ key: 's' }), inUse)
    await resources.deleteRollout({ flagKey: 'f', id })
    t.strictSame(await deleteSegment({ key: 's' }), {})
  })

  await t.test('either wins or loses against a rule that is made at the same time', async (t) => {
    for (let round = 0; round < 20; round += 1) {
      await createSegment({ key: 's', name: 'S' })
      const [deleted, made] = await Promise.allSettled([
        deleteSegment({ key: 's' }),
        createRule({ flagKey: 'f', segmentKey: 's', rank: 1 }),
      ])
      if (made.status === 'fulfilled') {
        t.match(deleted, { status: 'rejected', reason: inUse })
        await resources.deleteRule({ flagKey: 'f', id: made.value.id })
        await deleteSegment({ key: 's' })
      } else {
        t.equal(deleted.status, 'fulfilled')
        const message = 'flag "default/f" or segment "default/s" not found'
        t.match(made.reason, { code: 'not_found', message })
      }
    }
  })
})
