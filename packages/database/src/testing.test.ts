import { pathToFileURL } from 'node:url'
import t from 'tap'
import { openTestDatabase } from './testing.ts'

t.test('each test has a migrated database of its own', async (t) => {
  const files = { '0001_items.sql': 'CREATE TABLE shop.items (key text);' }
  const migrations = pathToFileURL(`${t.testdir(files)}/`)
  let url = ''

  await t.test('all at once', async (t) => {
    const databases = await Promise.all(
      Array.from({ length: 5 }, () => openTestDatabase(t, 'shop', migrations)),
    )
    for (const db of databases) {
      t.strictSame(await db.query('SELECT * FROM shop.items'), [])
      await db.query(`INSERT INTO shop.items VALUES ('mine')`)
    }
    url = databases[0]?.url ?? ''
  })

  await t.test('which is dropped when the test ends', async (t) => {
    const db = await openTestDatabase(t, 'shop', migrations)
    const query = 'SELECT FROM pg_database WHERE datname = $1'
    t.strictSame(await db.query(query, [new URL(url).pathname.slice(1)]), [])
    t.equal((await db.query(query, [new URL(db.url).pathname.slice(1)])).length, 1)
  })
})
