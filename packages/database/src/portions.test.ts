import t from 'tap'
import type { Queryable } from './database.ts'
import { runPortions, tryLock } from './portions.ts'
import { createTestDatabase } from './testing.ts'

t.test('a job in portions', async (t) => {
  const db = await createTestDatabase(t)
  await db.query('CREATE TABLE rows AS SELECT number FROM generate_series(1, 95) AS number')
  const options = { lock: 'test.rows' }
  const count = async () => (await db.query('SELECT FROM rows')).length
  const deleteTen = `DELETE FROM rows WHERE number IN (
    SELECT number FROM rows ORDER BY number LIMIT 10) RETURNING number`

  await t.test('leaves the work to the process that has the lock', async (t) => {
    await db.transaction(async (tx) => {
      t.equal(await tryLock(tx, options.lock), true)
      t.equal(await runPortions(db, options, async () => t.fail('two at once')), false)
    })
  })

  await t.test('keeps the portions before one that fails', async (t) => {
    let portions = 0
    const run = runPortions(db, options, async (tx) => {
      portions += 1
      await tx.query(deleteTen)
      if (portions === 3) throw new Error('third')
      return true
    })
    await t.rejects(run, { message: 'third' })
    t.equal(await count(), 75)
  })

  await t.test('ends after the portion in progress', async (t) => {
    const closing = new AbortController()
    const run = runPortions(db, { ...options, signal: closing.signal }, async (tx) => {
      await tx.query(deleteTen)
      closing.abort()
      return true
    })
    t.equal(await run, false)
    t.equal(await count(), 65)
  })

  await t.test('is done once, by several processes at once', async (t) => {
    const deleted: unknown[] = []
    let running = 0
    const work = async (tx: Queryable) => {
      running += 1
      t.equal(running, 1)
      const rows = await tx.query<{ number: number }>(deleteTen)
      deleted.push(...rows.map(({ number }) => number))
      running -= 1
      return rows.length === 10
    }
    await Promise.all(Array.from({ length: 4 }, () => runPortions(db, options, work)))
    t.equal(await runPortions(db, options, work), true)
    t.equal(await count(), 0)
    t.equal(new Set(deleted).size, 65)
    t.equal(deleted.length, 65)
  })
})
