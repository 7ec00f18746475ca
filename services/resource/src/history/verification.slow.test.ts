import { randomBytes } from 'node:crypto'
import type { Database } from '@svc/database'
import t from 'tap'
import { configureLog } from '../changes/log-settings.ts'
import { countingBlocks } from '../testing/blocks.ts'
import { handlersOn } from '../testing/resources.ts'
import { day, keys, openRetention } from '../testing/retention.ts'
import { deleteOld } from './retention.ts'

/** Maximum pages of 8 KiB that a statement reads: a large document, with the index of its parts. */
const maxBlocks = 400

t.test('no statement grows with the documents of a change', async (t) => {
  const { db, createNamespace, deleteNamespace, createFlag, createVariant, options } =
    await openRetention(t)
  await createNamespace({ key: 'n', name: 'N' })
  for (const flagKey of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    await createFlag({ namespaceKey: 'n', key: flagKey, name: 'F' })
    // It cannot be compressed.
    const attachment = JSON.stringify(randomBytes(700_000).toString('base64'))
    await createVariant({ namespaceKey: 'n', flagKey, key: 'v', attachment })
  }
  await deleteNamespace({ key: 'n', force: true })
  let most = 0
  const counting = countingBlocks(db, (blocks) => {
    most = Math.max(most, blocks)
  })
  configureLog(counting, { keys, dailyBytes: 2 ** 31 })
  const { verifyChanges } = handlersOn(counting)
  t.match(await verifyChanges({ namespaceKey: 'n' }), { intact: true, checked: 18, next: 0 })
  t.ok(most > 0 && most <= maxBlocks, `verification: ${most} blocks`)

  await t.test('nor when retention looks for what is old', async (t) => {
    await age(db, '401 days')
    await createNamespace({ key: 'n', name: 'N' })
    most = 0
    const errors = t.capture(options.log, 'error')
    await deleteOld({ ...options, db: counting })
    t.match(errors(), [{ args: [{ why: 'its hash differs' }] }], 'its age was edited')
    t.ok(most > 0 && most <= maxBlocks, `retention: ${most} blocks`)
  })
})

/** Makes all changes older, without a new hash. */
async function age(db: Database, by: string) {
  await db.query('ALTER TABLE resource.changes DISABLE TRIGGER USER')
  await db.query(`UPDATE resource.changes SET at = at - $1::interval`, [by])
  await db.query('ALTER TABLE resource.changes ENABLE TRIGGER USER')
}

t.test('edits of changes with more items than are read at once are found', async (t) => {
  const { logOld, findBreak, edited, verifyChanges } = await openRetention(t)
  const [first = 0, second = 0] = await logOld([3 * day, 2 * day], { items: 2500 })
  const [third = 0] = await logOld([day], { items: 1 })
  const at = (revision: number) => `namespace_key = 'default' AND revision = ${revision}`
  const items = 'resource.change_items'
  const columns = 'namespace_key, place, kind, key, before, after'
  t.match(await verifyChanges({}), { intact: true, checked: 3 })
  t.match(await verifyChanges({ limit: 1 }), { intact: true, checked: 1, next: first })
  t.match(await verifyChanges({ after: first, limit: 1 }), { intact: true, next: second })
  const cases: Readonly<Record<string, readonly [sql: string, brokenAt: number]>> = {
    'one in the middle': [
      `UPDATE ${items} SET after = '{}' WHERE ${at(first)} AND place = 1700`,
      first,
    ],
    'the last one': [
      `UPDATE ${items} SET before = NULL WHERE ${at(second)} AND place = 2499`,
      second,
    ],
    'its key': [`UPDATE ${items} SET key = 'other' WHERE ${at(second)} AND place = 1000`, second],
    'one is gone': [`DELETE FROM ${items} WHERE ${at(first)} AND place = 999`, first],
    'all are gone': [`DELETE FROM ${items} WHERE ${at(second)}`, second],
    'places are others': [`UPDATE ${items} SET place = place + 5000 WHERE ${at(second)}`, second],
    'one belongs to the next': [
      `UPDATE ${items} SET revision = ${second}, place = 2500 WHERE ${at(first)} AND place = 2499`,
      first,
    ],
    'one before the first': [
      `INSERT INTO ${items} (revision, ${columns})
       SELECT ${first - 1}, ${columns} FROM ${items} WHERE ${at(third)}`,
      first - 1,
    ],
    'one after the last': [
      `INSERT INTO ${items} (revision, ${columns})
       SELECT ${third + 1}, ${columns} FROM ${items} WHERE ${at(third)}`,
      third + 1,
    ],
    'a change is gone, and its items are not': [
      `DELETE FROM resource.changes WHERE ${at(second)}`,
      second,
    ],
  }
  for (const [what, [sql, brokenAt]] of Object.entries(cases)) {
    await edited([sql], async () => {
      t.equal(await findBreak(), brokenAt, what)
    })
  }
  t.equal(await findBreak(), 'intact')
})
