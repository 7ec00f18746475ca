import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('the namespace that is there from the start', async (t) => {
  const { getNamespace, updateNamespace } = await openResources(t)

  await t.test('is called default and protected', async (t) => {
    t.match(await getNamespace({ key: 'default' }), {
      key: 'default',
      name: 'Default',
      description: 'Default namespace',
      protected: true,
    })
  })

  await t.test('can be renamed', async (t) => {
    const renamed = await updateNamespace({ key: 'default', name: 'Main', description: 'Ours' })
    t.match(renamed, { name: 'Main', description: 'Ours', protected: true })
  })
})

t.test('createNamespace', async (t) => {
  const { createNamespace, getNamespace } = await openResources(t)

  await t.test('answers with what a later read answers', async (t) => {
    const made = await createNamespace({ key: 'team-a', name: 'Team A', description: 'Ours' })
    t.match(made, { key: 'team-a', name: 'Team A', description: 'Ours', protected: false })
    t.strictSame(made.createdAt, made.updatedAt)
    t.strictSame(await getNamespace({ key: 'team-a' }), made)
  })

  await t.test('distinguishes keys by case', async (t) => {
    t.equal((await createNamespace({ key: 'TEAM-A', name: 'Other' })).key, 'TEAM-A')
    t.equal((await getNamespace({ key: 'team-a' })).name, 'Team A')
  })

  await t.test('takes a comma and 255 characters', async (t) => {
    const key = `a,b${'c'.repeat(252)}`
    t.equal((await createNamespace({ key, name: '💡'.repeat(255) })).key, key)
  })
})

t.test('updateNamespace', async (t) => {
  const { createNamespace, updateNamespace, getNamespace } = await openResources(t)
  const before = await createNamespace({ key: 'a', name: 'A', description: 'Old' })

  await t.test('replaces name and description and moves the time of the update', async (t) => {
    const after = await updateNamespace({ key: 'a', name: 'B' })
    t.match(after, { name: 'B', description: '', createdAt: before.createdAt })
    t.notSame(after.updatedAt, before.updatedAt)
    t.strictSame(await getNamespace({ key: 'a' }), after)
  })
})

t.test('deleteNamespace', async (t) => {
  const resources = await openResources(t)
  const { createNamespace, deleteNamespace, getNamespace, createFlag, createSegment } = resources
  const gone = { code: 'not_found' }

  await t.test('deletes one that holds segments alone', async (t) => {
    await createNamespace({ key: 'a', name: 'A' })
    await createSegment({ namespaceKey: 'a', key: 's', name: 'S' })
    t.strictSame(await deleteNamespace({ key: 'a' }), {})
    await t.rejects(getNamespace({ key: 'a' }), gone)
  })

  await t.test('spares one that holds flags, unless forced', async (t) => {
    await createNamespace({ key: 'b', name: 'B' })
    await createFlag({ namespaceKey: 'b', key: 'f', name: 'F' })
    await createSegment({ namespaceKey: 'b', key: 's', name: 'S' })
    const rule = { namespaceKey: 'b', flagKey: 'f', segmentKey: 's', rank: 1 }
    await resources.createRule(rule)
    await t.rejects(deleteNamespace({ key: 'b' }), {
      code: 'invalid_argument',
      message: 'namespace "b" cannot be deleted; flags must be deleted first',
    })
    t.strictSame(await deleteNamespace({ key: 'b', force: true }), {})
    await t.rejects(getNamespace({ key: 'b' }), gone)
  })

  await t.test('leaves nothing behind for one of the same key', async (t) => {
    await createNamespace({ key: 'b', name: 'B' })
    t.equal((await resources.listFlags({ namespaceKey: 'b' })).totalCount, 0)
    t.equal((await resources.listSegments({ namespaceKey: 'b' })).totalCount, 0)
  })

  await t.test('deletes any number of flags and segments', async (t) => {
    await createNamespace({ key: 'c', name: 'C' })
    await resources.db.query(
      `WITH flags AS (
         INSERT INTO resource.flags (namespace_key, key, type, name)
         SELECT 'c', 'f' || n, 'BOOLEAN_FLAG_TYPE', 'F' FROM generate_series(1, 2000) AS n)
       INSERT INTO resource.segments (namespace_key, key, name, match_type)
       SELECT 'c', 's' || n, 'S', 'ALL_MATCH_TYPE' FROM generate_series(1, 1001) AS n`,
    )
    t.strictSame(await deleteNamespace({ key: 'c', force: true }), {})
    await t.rejects(getNamespace({ key: 'c' }), gone)
  })

  await t.test('never lets the revision go back', async (t) => {
    const before = await resources.revision('b')
    await deleteNamespace({ key: 'b' })
    await createNamespace({ key: 'b', name: 'B' })
    t.ok(Number(await resources.revision('b')) > Number(before) + 1)
  })
})
