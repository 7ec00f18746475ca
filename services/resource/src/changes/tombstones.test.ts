import t from 'tap'
import { openResources } from '../testing/resources.ts'
import { pruneTombstones } from './tombstones.ts'

const hourMs = 3_600_000

t.test('pruneTombstones', async (t) => {
  const resources = await openResources(t)
  const { createFlag, deleteFlag, createNamespace, deleteNamespace, db } = resources
  const left = async () => {
    const rows = await db.query<{ key: string }>('SELECT key FROM resource.tombstones ORDER BY key')
    return rows.map(({ key }) => key)
  }
  const compacted = async () => {
    const [row] = await db.query<{ revision: number }>(
      `SELECT compacted_revision AS revision FROM resource.namespaces WHERE key = 'default'`,
    )
    return row?.revision
  }
  for (const key of ['a', 'b', 'c']) {
    await createFlag({ key, name: key })
    await deleteFlag({ key })
  }
  const [newestOld] = await db.query<{ revision: number }>(
    `WITH aged AS (
       UPDATE resource.tombstones SET deleted_at = deleted_at - interval '61 minutes'
        WHERE key IN ('a', 'b') RETURNING revision)
     SELECT max(revision) AS revision FROM aged`,
  )

  await t.test('deletes the old ones and notes up to where they are gone', async (t) => {
    await Promise.all([pruneTombstones(db, hourMs), pruneTombstones(db, hourMs)])
    t.strictSame(await left(), ['c'])
    t.equal(await compacted(), newestOld?.revision)
  })

  await t.test('leaves the note where it was when there is nothing old', async (t) => {
    await pruneTombstones(db, hourMs)
    t.equal(await compacted(), newestOld?.revision)
  })

  await t.test('deletes those of namespaces, too', async (t) => {
    await createNamespace({ key: 'n', name: 'N' })
    await deleteNamespace({ key: 'n' })
    await pruneTombstones(db, -hourMs)
    t.strictSame(await left(), [])
  })

  await t.test('does not stand in the way of writers', async (t) => {
    const writing = Array.from({ length: 30 }, async (_, i) => {
      await createFlag({ key: `w${i % 5}`, name: 'W' }).catch(() => {})
      await deleteFlag({ key: `w${i % 5}` })
    })
    const pruning = Array.from({ length: 10 }, () => pruneTombstones(db, -hourMs))
    await t.resolves(Promise.all([...writing, ...pruning]))
  })
})
