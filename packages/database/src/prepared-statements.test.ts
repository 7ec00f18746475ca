import { createLogger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { openDatabase, type Queryable } from './database.ts'
import { createTestDatabase } from './testing.ts'

/** One connection, so that a test knows on which one its statements are prepared. */
async function openSingle(t: Test) {
  const admin = await createTestDatabase(t)
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  const options = { name: 'single', maxConnections: 1, log, acquireTimeoutMs: 5000 }
  const db = openDatabase(admin.url, options)
  t.teardown(() => db.close())
  const prepared = async () => {
    const [row] = await db.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_prepared_statements',
    )
    return row?.n
  }
  return { admin, db, prepared }
}

t.test('a statement with parameters is prepared once for a connection', async (t) => {
  const { db, prepared } = await openSingle(t)
  for (let i = 0; i < 20; i++) {
    t.strictSame(await db.query('SELECT $1::int AS n', [i]), [{ n: i }])
    await db.query('SELECT 1')
  }
  t.equal(await prepared(), 1)
})

t.test('500 texts are prepared; others work all the same', async (t) => {
  const { db, prepared } = await openSingle(t)
  for (let i = 0; i < 550; i++) {
    t.strictSame(await db.query(`SELECT $1::int + ${i} AS n`, [1]), [{ n: i + 1 }])
  }
  t.equal(await prepared(), 500)
})

t.test('a migration changes a column while connections are open', async (t) => {
  const { admin, db } = await openSingle(t)
  const change = async (type: string) => {
    await admin.query(`ALTER TABLE notes ALTER size TYPE ${type} USING size::text::${type}`)
    await admin.query(`ALTER TABLE others ALTER size TYPE ${type} USING size::text::${type}`)
  }
  for (const name of ['notes', 'others']) {
    await admin.query(`CREATE TABLE ${name} (key text PRIMARY KEY, size int)`)
    await admin.query(`INSERT INTO ${name} VALUES ('a', 7)`)
  }
  const sizeIn = async (queryable: Queryable, table: string) => {
    const sql = `SELECT size FROM ${table} WHERE key = $1`
    return (await queryable.query<{ size: unknown }>(sql, ['a'])).map(({ size }) => size)
  }

  await t.test('a statement works at once', async (t) => {
    for (const [type, size] of [
      ['int', 7],
      ['text', '7'],
      ['bigint', 7],
    ] as const) {
      await change(type)
      t.strictSame(await sizeIn(db, 'notes'), [size], type)
      t.strictSame(await sizeIn(db, 'others'), [size], type)
    }
  })

  await t.test('a transaction runs again, once, and commits once', async (t) => {
    let runs = 0
    const work = async (tx: Queryable) => {
      runs += 1
      await tx.query('INSERT INTO notes VALUES ($1, NULL)', [`run ${runs}`])
      return [...(await sizeIn(tx, 'notes')), ...(await sizeIn(tx, 'others'))]
    }
    t.strictSame(await db.transaction(work), [7, 7])
    await change('text')
    runs = 10
    t.strictSame(await db.transaction(work), ['7', '7'])
    t.equal(runs, 12)
    const made = await db.query(`SELECT key FROM notes WHERE key LIKE 'run%' ORDER BY key`)
    t.strictSame(made, [{ key: 'run 1' }, { key: 'run 12' }])
  })

  await t.test('also one that only reads', async (t) => {
    const read = () => db.transaction((tx) => sizeIn(tx, 'notes'), { readOnly: true })
    t.strictSame(await read(), ['7'])
    await change('int')
    t.strictSame(await read(), [7])
  })
})

t.test('a connection that has lost its statements prepares them again', async (t) => {
  const { db, prepared } = await openSingle(t)
  const read = (queryable: Queryable) => queryable.query('SELECT $1::int AS n', [1])
  await read(db)
  await db.query('DEALLOCATE ALL')
  t.equal(await prepared(), 0)
  t.strictSame(await read(db), [{ n: 1 }])
  await db.query('DISCARD ALL')
  t.strictSame(await db.transaction(read), [{ n: 1 }])
  t.equal(await prepared(), 1)
})

t.test('another error of the same code is passed on', async (t) => {
  const { db } = await openSingle(t)
  await t.rejects(db.query('SELECT DISTINCT $1::int FOR UPDATE', [1]), {
    name: 'error',
    code: '0A000',
  })
})
