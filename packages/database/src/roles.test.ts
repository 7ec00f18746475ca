import { randomBytes } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import { createLogger } from '@svc/runtime'
import t, { type Test } from 'tap'
import { openConnection } from './connection.ts'
import { openDatabase } from './database.ts'
import { migrate, waitForMigrations } from './migrate.ts'
import { createTestDatabase, type TestDatabase } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

const first = `CREATE TABLE shop.items (key text PRIMARY KEY);
CREATE SEQUENCE shop.numbers;`
const second = `CREATE TABLE shop.orders (id bigint GENERATED ALWAYS AS IDENTITY, note text);
CREATE FUNCTION shop.one() RETURNS int LANGUAGE sql RETURN 1;`

function directoryOf(t: Test, files: Record<string, string>): URL {
  return pathToFileURL(`${t.testdir(files)}/`)
}

/** URLs of the owner of a new database, and of roles that are not there yet. */
async function prepare(t: Test) {
  const suffix = randomBytes(6).toString('hex')
  const names = ['shop', 'other'].map((name) => `${name}_${suffix}`)
  // Torn down last: a role cannot go while a database has something of it.
  const server = await createTestDatabase(t)
  t.teardown(async () => {
    for (const name of names) await server.query(`DROP ROLE IF EXISTS ${name}`)
  })
  const db = await createTestDatabase(t)
  const [shop = '', other = ''] = names.map((name) => urlOf(db, name, "it's %/@secret"))
  return { db, shop, other }
}

function urlOf(db: TestDatabase, username: string, password: string): string {
  const url = new URL(db.url)
  url.username = username
  url.password = encodeURIComponent(password)
  return url.href
}

function open(t: Test, url: string) {
  const db = openDatabase(url, { name: 'test', maxConnections: 1, log, acquireTimeoutMs: 5000 })
  t.teardown(() => db.close())
  return db
}

t.test('migrating makes a role with rights on its schema alone', async (t) => {
  const { db, shop, other } = await prepare(t)
  const one = directoryOf(t, { '0001_items.sql': first })
  await migrate(shop, 'shop', one, { log, ownerUrl: db.url })
  const theirs = directoryOf(t, { '0001_things.sql': 'CREATE TABLE other.things (key text);' })
  await migrate(other, 'other', theirs, { log, ownerUrl: db.url })

  const service = open(t, shop)
  await service.query("INSERT INTO shop.items VALUES ('a')")
  t.strictSame(await service.query('UPDATE shop.items SET key = $1 RETURNING key', ['b']), [
    { key: 'b' },
  ])
  t.strictSame(await service.query("SELECT nextval('shop.numbers')::int AS next"), [{ next: 1 }])
  await service.query('DELETE FROM shop.items')

  const denied = /permission denied/
  await t.rejects(service.query('SELECT * FROM other.things'), denied)
  await t.rejects(service.query('CREATE TABLE shop.more ()'), denied)
  await t.rejects(service.query('CREATE ROLE another'), denied)
  await t.rejects(service.query('DROP TABLE shop.items'), /must be owner/)
  await t.rejects(open(t, other).query('SELECT * FROM shop.items'), denied)

  const both = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': second })
  await t.test('also what later migrations add, from the start', async (t) => {
    const waiting = waitForMigrations(shop, 'shop', both, { log })
    await migrate(shop, 'shop', both, { log, ownerUrl: db.url })
    await waiting
    await service.query("INSERT INTO shop.orders (note) VALUES ('x')")
    t.strictSame(await service.query('SELECT shop.one() AS one'), [{ one: 1 }])
  })

  await t.test('with the password that the service has now', async (t) => {
    const changed = urlOf(db, new URL(shop).username, 'another')
    await t.rejects(openConnection(changed, {}), { code: 'failed_precondition' })
    await migrate(changed, 'shop', both, { log, ownerUrl: db.url })
    const { close } = await openConnection(changed, {})
    await close()
  })
})

t.test('a service waits for its role, its database and its rights', async (t) => {
  const { db, shop } = await prepare(t)
  const migrations = directoryOf(t, { '0001_items.sql': first })
  const { warnings, log } = listening()
  const wait = (url: string, timeoutMs?: number) =>
    waitForMigrations(url, 'shop', migrations, { log, timeoutMs })
  const elsewhere = new URL(db.url)
  elsewhere.pathname = '/elsewhere'
  for (const [url, reason] of [
    [shop, 'password authentication failed for user "\\w+"'],
    [elsewhere.href, 'database "elsewhere" does not exist'],
  ] as const) {
    const message = new RegExp(
      `^PostgreSQL at \\S+ refuses the connection: ${reason}\\. The migrations may not have run yet\\.`,
    )
    await t.rejects(wait(url, 200), { code: 'unavailable', message })
    t.match(warnings.splice(0), [[new RegExp(`${message.source} Trying for 0\\.2 s\\.$`)]])
  }

  const waiting = wait(shop)
  const name = new URL(shop).username
  const password = decodeURIComponent(new URL(shop).password).replace("'", "''")
  await db.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`)
  await db.query('CREATE SCHEMA shop; CREATE TABLE shop.migrations ()')
  const message =
    'Schema "shop" cannot be read: permission denied for schema shop. The migrations may not have run yet.'
  await t.rejects(wait(shop, 200), { code: 'unavailable', message })
  await db.query('DROP SCHEMA shop CASCADE')
  await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
  await t.resolves(waiting)
})

t.test('what the server keeps of a password stays while it is the same', async (t) => {
  const { db, shop } = await prepare(t)
  const migrations = directoryOf(t, { '0001_items.sql': first })
  const role = new URL(shop).username
  const kept = async () => {
    const [row] = await db.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [role])
    return row
  }
  await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
  const made = await kept()
  await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
  t.strictSame(await kept(), made, 'as a pooler may have it in a file')

  const without = urlOf(db, role, '')
  await migrate(without, 'shop', migrations, { log, ownerUrl: db.url })
  t.strictSame(await kept(), made, 'also when the URL has none')
  await db.query(`DROP OWNED BY ${role}`)
  await db.query(`DROP ROLE ${role}`)
  await migrate(without, 'shop', migrations, { log, ownerUrl: db.url })
  t.strictSame(await kept(), { rolpassword: null })
})

t.test('what the server keeps of a password stays when a login fails otherwise', async (t) => {
  const { db, shop } = await prepare(t)
  const migrations = directoryOf(t, { '0001_items.sql': first })
  const role = new URL(shop).username
  const kept = () => db.query('SELECT rolpassword FROM pg_authid WHERE rolname = $1', [role])
  await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
  const made = await kept()
  const { warnings, log: listened } = listening()
  await db.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`)
  await migrate(shop, 'shop', migrations, { log: listened, ownerUrl: db.url })
  t.strictSame(await kept(), made)
  t.match(warnings, [[{ role, reason: /53300/ }, /^cannot try the password of the role/]])

  await t.test('and a role that may not log in may do so again', async (t) => {
    await db.query(`ALTER ROLE ${role} NOLOGIN CONNECTION LIMIT -1`)
    await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
    const { close } = await openConnection(shop, {})
    await close()
    t.pass()
  })
})

t.test('a password of which the driver makes another text', async (t) => {
  const { db, shop } = await prepare(t)
  const migrations = directoryOf(t, { '0001_items.sql': first })
  for (const password of ['\ufb01sh', '\u00bd cup', 'a\u00a0b', 'so\u00adft', 'e\u0301']) {
    const url = urlOf(db, new URL(shop).username, password)
    await migrate(url, 'shop', migrations, { log, ownerUrl: db.url })
    const { close } = await openConnection(url, {})
    await close()
    t.pass(encodeURIComponent(password))
  }
})

t.test('a database with one role can change to two', async (t) => {
  const { db, shop } = await prepare(t)
  const migrations = directoryOf(t, { '0001_items.sql': first })
  await migrate(db.url, 'shop', migrations, { log })
  await db.query("INSERT INTO shop.items VALUES ('old')")
  await migrate(shop, 'shop', migrations, { log, ownerUrl: db.url })
  t.strictSame(await open(t, shop).query('SELECT key FROM shop.items'), [{ key: 'old' }])
})

t.test('an owner that cannot make roles says so, and what to do', async (t) => {
  const { db, shop, other } = await prepare(t)
  const owner = new URL(other).username
  const name = new URL(shop).username
  await db.query(`CREATE ROLE ${owner} LOGIN PASSWORD 'x'`)
  await db.query(`GRANT CREATE ON DATABASE ${new URL(db.url).pathname.slice(1)} TO ${owner}`)
  const ownerUrl = urlOf(db, owner, 'x')
  const migrations = directoryOf(t, { '0001_items.sql': first })
  const { warnings, log } = listening()

  const applied = await migrate(shop, 'shop', migrations, { log, ownerUrl })
  t.strictSame(applied, ['0001_items'], 'and migrates all the same')
  t.match(warnings, [
    [
      { role: name },
      /^cannot make the role of db\.url \(permission denied.*\): make it by hand.*or give/,
    ],
  ])
  t.notMatch(JSON.stringify(warnings), /secret/)
  await open(t, ownerUrl).query("INSERT INTO shop.items VALUES ('a')")

  await t.test('and gives its rights to one that was made by hand', async (t) => {
    await db.query(`CREATE ROLE ${name} LOGIN PASSWORD 'by hand'`)
    await migrate(shop, 'shop', migrations, { log, ownerUrl })
    const service = open(t, urlOf(db, name, 'by hand'))
    t.strictSame(await service.query('SELECT key FROM shop.items'), [{ key: 'a' }])
  })
})

t.test('a service that owns its tables stays as it is', async (t) => {
  const { db } = await prepare(t)
  const { warnings, log } = listening()
  const migrations = directoryOf(t, { '0001_items.sql': first })
  await migrate(db.url, 'shop', migrations, { log })
  t.strictSame(warnings, [])
})

/** A log, and what it was warned of. */
function listening() {
  const warnings: unknown[][] = []
  const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
  log.warn = (...words: unknown[]) => void warnings.push(words)
  return { warnings, log }
}
