import t from 'tap'
import { openResources } from '../testing/resources.ts'

t.test('tags are listed with the number of their flags, the most used first', async (t) => {
  const { createFlag, deleteFlag, updateFlag, listTags, createNamespace } = await openResources(t)
  const none = { tags: [], totalCount: 0 }
  t.strictSame(await listTags({}), none)
  t.strictSame(await listTags({ namespaceKey: 'nope' }), none)
  await createNamespace({ key: 'other', name: 'Other' })
  await createFlag({ namespaceKey: 'other', key: 'a', name: 'A', metadata: { tags: ['pay'] } })
  await createFlag({ key: 'a', name: 'A', metadata: { tags: ['pay', 'eu', 'pay'] } })
  await createFlag({ key: 'b', name: 'B', metadata: { tags: ['eu', 'Ä', 5] } })
  await createFlag({ key: 'c', name: 'C', metadata: { tags: 'eu', owner: 'eu' } })
  await createFlag({ key: 'd', name: 'D' })
  const tags = [
    { name: 'eu', count: 2 },
    { name: 'pay', count: 1 },
    { name: 'Ä', count: 1 },
  ]
  t.strictSame(await listTags({}), { tags, totalCount: 3 })
  await deleteFlag({ key: 'b' })
  await updateFlag({ key: 'a', name: 'A', metadata: { tags: ['ops'] } })
  t.strictSame(await listTags({}), { tags: [{ name: 'ops', count: 1 }], totalCount: 1 })
})

t.test('at most 1,000 tags are listed, and all are counted', async (t) => {
  const { db, createFlag, listTags } = await openResources(t)
  await db.query(`INSERT INTO resource.flags (namespace_key, key, type, name, metadata)
                  SELECT 'default', 'f' || n, 'BOOLEAN_FLAG_TYPE', 'F',
                         json_build_object('tags', json_build_array('a' || n, 'b' || n))
                    FROM generate_series(1, 600) AS n`)
  await createFlag({ key: 'again', name: 'Again', metadata: { tags: ['b600'] } })
  const { tags, totalCount } = await listTags({})
  t.strictSame([tags.length, totalCount, tags[0]], [1000, 1200, { name: 'b600', count: 2 }])
})

/** JSON of an object, by the tags and the owner that it has. */
const understood: [metadata: string, tags: string[], owner: string | null][] = [
  ['{}', [], null],
  ['{"tags":["a","b"],"owner":"o"}', ['a', 'b'], 'o'],
  ['{"tags":["b","a","b"]}', ['b', 'a', 'b'], null],
  ['{"tags":"a","owner":["o"]}', [], null],
  ['{"tags":{"a":"b"},"owner":{"o":1}}', [], null],
  ['{"tags":null,"owner":null}', [], null],
  ['{"tags":[1,null,true,["a"],{"a":1},"","a"],"owner":5}', ['a'], null],
  ['{"tags":["%","_","\\\\","\\""],"owner":"\\u00f6"}', ['%', '_', '\\', '"'], 'ö'],
  [`{"tags":["${'é'.repeat(64)}","${'é'.repeat(65)}"]}`, ['é'.repeat(64)], null],
  // What json keeps and no text can hold.
  ['{"tags":["a"],"owner":"o","x":"\\u0000"}', [], null],
  ['{"tags":["a\\u0000"],"owner":"o"}', [], null],
  ['{"tags":["a"],"owner":"o","x":"\\ud83d"}', [], null],
  ['{"tags":["a"],"owner":"o","x":"\\ud83d\\ude00 \\\\u0000"}', ['a'], 'o'],
]

t.test('metadata of any form is kept, and what is understood of it found', async (t) => {
  const { db, listFlags } = await openResources(t)
  for (const [metadata, tags, owner] of understood) {
    await t.test(metadata.slice(0, 60), async (t) => {
      // As an earlier build writes it, which does not know the index.
      const [row] = await db.query(
        `INSERT INTO resource.flags (namespace_key, key, type, name, metadata)
         VALUES ('default', 'f', 'BOOLEAN_FLAG_TYPE', 'F', $1)
         RETURNING resource.tags(metadata) AS tags, resource.owner(metadata) AS owner`,
        [metadata],
      )
      t.strictSame(row, { tags, owner })
      await t.resolves(listFlags({ tags: ['a'], owner: 'o', q: 'F', sort: 'name' }))
      await db.query('DELETE FROM resource.flags')
    })
  }
  const many = JSON.stringify({ tags: Array.from({ length: 5000 }, (_, index) => `t${index}`) })
  const tagsOf = 'SELECT cardinality(resource.tags($1)) AS count'
  t.strictSame(await db.query(tagsOf, [many]), [{ count: 20 }])
})
