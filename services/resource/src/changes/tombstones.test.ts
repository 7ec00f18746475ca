import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { openResources } from '../testing/resources.ts'
import { lockNamespace } from './stamp.store.ts'
import { pruneTombstones } from './tombstones.ts'

const hourMs = 3_600_000
const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

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
    await Promise.all([pruneTombstones(db, log, hourMs), pruneTombstones(db, log, hourMs)])
    t.strictSame(await left(), ['c'])
    t.equal(await compacted(), newestOld?.revision)
  })

  await t.test('leaves the note where it was when there is nothing old', async (t) => {
    await pruneTombstones(db, log, hourMs)
    t.equal(await compacted(), newestOld?.revision)
  })

  await t.test('deletes those of namespaces, too', async (t) => {
    await createNamespace({ key: 'n', name: 'N' })
    await deleteNamespace({ key: 'n' })
    await pruneTombstones(db, log, -hourMs)
    t.strictSame(await left(), [])
  })

  await t.test('does not stand in the way of writers', async (t) => {
    const writing = Array.from({ length: 30 }, async (_, i) => {
      await createFlag({ key: `w${i % 5}`, name: 'W' }).catch(() => {})
      await deleteFlag({ key: `w${i % 5}` })
    })
    const pruning = Array.from({ length: 10 }, () => pruneTombstones(db, log, -hourMs))
    await t.resolves(Promise.all([...writing, ...pruning]))
  })

  await t.test('leaves a namespace that is locked for the next time, and no other', async (t) => {
    await createNamespace({ key: 'busy', name: 'Busy' })
    for (const namespaceKey of ['busy', 'default']) {
      await createFlag({ namespaceKey, key: 'z', name: 'Z' })
      await deleteFlag({ namespaceKey, key: 'z' })
    }
    const other = openDatabase(db.url, { name: 'other', maxConnections: 1, log })
    t.teardown(() => other.close())
    const errors = t.capture(log, 'error')
    await other.transaction(async (tx) => {
      await lockNamespace(tx, 'busy')
      await pruneTombstones(db, log, -hourMs)
    })
    const rows = await db.query('SELECT namespace_key AS key FROM resource.tombstones')
    t.strictSame(rows, [{ key: 'busy' }])
    t.match(errors(), [{ args: [{ namespace: 'busy' }, /tried again/] }])
    await pruneTombstones(db, log, -hourMs)
    t.strictSame(await left(), [])
  })
})
