import { connect } from 'node:net'
import { pathToFileURL } from 'node:url'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { migrate, waitForMigrations } from './migrate.ts'
import { relay } from './outage.test.support.ts'
import { createTestDatabase, type TestDatabase, withSession } from './testing.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

const first = 'CREATE TABLE shop.items (key text PRIMARY KEY);'
const second = `-- A comment, and text that looks like a template: {not} {one}
CREATE TABLE shop.orders (key text PRIMARY KEY, note text DEFAULT '{}');
CREATE FUNCTION shop.one() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;`

function directoryOf(t: Test, files: Record<string, string>): URL {
  return pathToFileURL(`${t.testdir(files)}/`)
}

async function tablesOf(db: TestDatabase): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'shop' ORDER BY 1`,
  )
  return rows.map(({ name }) => name)
}

t.test('applies what is missing, once', async (t) => {
  const db = await createTestDatabase(t)
  const one = directoryOf(t, { '0001_items.sql': first })
  t.strictSame(await migrate(db.url, 'shop', one, { log }), ['0001_items'])

  await t.test('and what a later build adds', async (t) => {
    const both = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': second })
    const done = await migrate(db.url, 'shop', both, { log })
    t.strictSame(done, ['0002_orders'])
    t.strictSame(await migrate(db.url, 'shop', both, { log }), [])
    t.strictSame(await tablesOf(db), ['items', 'migrations', 'orders'])
    t.strictSame(await db.query('SELECT shop.one() AS one'), [{ one: 1 }])
  })

  await t.test('an earlier build changes nothing and runs on it', async (t) => {
    const before = await db.query('SELECT * FROM shop.migrations ORDER BY id')
    t.strictSame(await migrate(db.url, 'shop', one, { log }), [])
    await waitForMigrations(db.url, 'shop', one, { log })
    t.strictSame(await db.query('SELECT * FROM shop.migrations ORDER BY id'), before)
    t.strictSame(await tablesOf(db), ['items', 'migrations', 'orders'])
  })

  await t.test('but not when the later build takes away what it needs', async (t) => {
    const drop = 'ALTER TABLE shop.orders DROP COLUMN note;'
    const later = directoryOf(t, {
      '0001_items.sql': first,
      '0002_orders.sql': second,
      '0003_drop_note_since_99_0.sql': drop,
    })
    t.strictSame(await migrate(db.url, 'shop', later, { log }), ['0003_drop_note_since_99_0'])
    const refused = {
      code: 'failed_precondition',
      message:
        'Database is at version 3, this build knows 1 and does not run on 0003_drop_note_since_99_0.' +
        ' Upgrade svc, or restore a backup.',
    }
    await t.rejects(migrate(db.url, 'shop', one, { log }), refused)
    await t.rejects(waitForMigrations(db.url, 'shop', one, { log }), refused)
  })

  await t.test('nor on one of another history', async (t) => {
    const other = directoryOf(t, { '0001_things.sql': first, '0002_orders.sql': second })
    const refused = { code: 'failed_precondition', message: /has the migration 0001_items/ }
    await t.rejects(migrate(db.url, 'shop', other, { log }), refused)
  })
})

t.test('eight processes at once apply each migration once', async (t) => {
  const db = await createTestDatabase(t)
  const slow = `${second} SELECT pg_sleep(0.5);`
  const directory = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': slow })
  const results = await Promise.all(
    Array.from({ length: 8 }, () => migrate(db.url, 'shop', directory, { log })),
  )
  t.strictSame(results.flat(), ['0001_items', '0002_orders'])
  t.strictSame(await db.query('SELECT name FROM shop.migrations ORDER BY name'), [
    { name: '0001_items' },
    { name: '0002_orders' },
  ])
})

t.test('schemas do not wait for each other', async (t) => {
  const db = await createTestDatabase(t)
  const slow = directoryOf(t, { '0001_slow.sql': 'SELECT pg_sleep(2);' })
  const started = migrate(db.url, 'slow', slow, { log })
  await t.test('quick', async (t) => {
    const directory = directoryOf(t, { '0001_items.sql': first })
    const startedAt = performance.now()
    await migrate(db.url, 'shop', directory, { log })
    t.ok(performance.now() - startedAt < 1500)
  })
  await started
})

t.test('a process that is killed while it migrates leaves nothing behind', async (t) => {
  const db = await createTestDatabase(t)
  const endless = `${second} SELECT pg_sleep(60);`
  const stuck = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': endless })
  const options = { log, timeoutMs: 0 }
  const killed = migrate(db.url, 'shop', stuck, options).catch((error: unknown) => error)
  for (let sleeping = 0; sleeping === 0; ) {
    const rows = await db.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE application_name = 'migrate shop' AND wait_event = 'PgSleep'`,
    )
    sleeping = rows.length
  }
  t.match(await killed, {
    name: 'AppError',
    code: 'unavailable',
    message: /^Can't migrate schema "shop": /,
  })
  t.strictSame(await tablesOf(db), ['migrations'])

  await t.test('and the next one starts where it began', async (t) => {
    const mended = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': second })
    const applied = await migrate(db.url, 'shop', mended, { log })
    t.strictSame(applied, ['0001_items', '0002_orders'])
  })
})

t.test('waits for a server that takes no writes', async (t) => {
  const db = await createTestDatabase(t)
  const directory = directoryOf(t, { '0001_items.sql': first })
  const name = new URL(db.url).pathname.slice(1)
  await withSession(db.url, async (admin) => {
    const set = `ALTER DATABASE ${name} SET default_transaction_read_only`
    await admin.query(`${set} = on`)
    const reasons: (string | undefined)[] = []
    const onWait = (reason: string | undefined) => void reasons.push(reason)
    const migrating = migrate(db.url, 'shop', directory, { log, onWait })
    await Promise.race([migrating, waitFor(() => reasons.length > 1)])
    await admin.query(`${set} = off`)
    t.strictSame(await migrating, ['0001_items'])
    t.match(reasons[0], /^Can't migrate schema "shop": .*read-only transaction/)
    t.equal(reasons.at(-1), undefined, 'and says when it waits no longer')
  })
})

t.test('goes on after a connection that was lost in the middle', async (t) => {
  const db = await createTestDatabase(t)
  const wait =
    'SELECT pg_sleep(CASE WHEN to_regclass($$public.goes_on$$) IS NULL THEN 60 ELSE 0 END);'
  const directory = directoryOf(t, { '0001_items.sql': `${first} ${wait}` })
  const migrating = migrate(db.url, 'shop', directory, { log })
  const sleeping = `SELECT pid FROM pg_stat_activity
    WHERE application_name = 'migrate shop' AND wait_event = 'PgSleep'`
  await waitFor(async () => (await db.query(sleeping)).length > 0)
  await db.query('CREATE TABLE public.goes_on ()')
  await db.query(`SELECT pg_terminate_backend(pid) FROM (${sleeping}) AS s`)
  t.strictSame(await migrating, ['0001_items'])
})

t.test('a migration that fails leaves the schema as it was and names the error', async (t) => {
  const db = await createTestDatabase(t)
  const directory = directoryOf(t, { '0001_items.sql': first, '0002_bad.sql': 'CREATE TABEL x;' })
  const failure = {
    code: 'failed_precondition',
    message: /Can't migrate schema "shop": syntax error/,
  }
  await t.rejects(migrate(db.url, 'shop', directory, { log }), failure)
  t.strictSame(await tablesOf(db), ['migrations'])
})

t.test('a file that is not named as a migration is refused', async (t) => {
  const db = await createTestDatabase(t)
  const directory = directoryOf(t, { '1_items.sql': first })
  await t.rejects(migrate(db.url, 'shop', directory, { log }), /1_items.sql/)
})

t.test('a server that does not answer or refuses is named', async (t) => {
  const directory = directoryOf(t, { '0001_items.sql': first })
  const away = migrate('postgres://svc@127.0.0.1:1/svc', 'shop', directory, { log, timeoutMs: 300 })
  await t.rejects(away, {
    code: 'unavailable',
    message: `Can't reach PostgreSQL at 127.0.0.1:1 (ECONNREFUSED).`,
  })

  const { url } = await createTestDatabase(t)
  const elsewhere = Object.assign(new URL(url), { pathname: '/elsewhere' }).href
  await t.rejects(migrate(elsewhere, 'shop', directory, { log }), {
    code: 'failed_precondition',
    message: /refuses the connection: database "elsewhere" does not exist\.$/,
  })
})

t.test('waitForMigrations', async (t) => {
  const db = await createTestDatabase(t)
  const directory = directoryOf(t, { '0001_items.sql': first, '0002_orders.sql': second })

  await t.test('says what is missing when its time is up', async (t) => {
    await t.rejects(waitForMigrations(db.url, 'shop', directory, { log, timeoutMs: 200 }), {
      code: 'unavailable',
      message: 'Schema "shop" is at version 0, this build needs 2. Run the migrations.',
    })
  })

  await t.test('returns as soon as another process has migrated', async (t) => {
    const waiting = waitForMigrations(db.url, 'shop', directory, { log })
    await migrate(db.url, 'shop', directory, { log })
    await t.resolves(waiting)
  })
})

t.test('a server that takes a login and answers nothing more', { timeout: 60_000 }, async (t) => {
  const db = await createTestDatabase(t)
  const directory = directoryOf(t, { '0001_items.sql': first })
  const url = await silentAfterLogin(t, db.url)
  const reasons: unknown[] = []
  const onWait = (reason: string | undefined) => void reasons.push(reason)
  const options = { log, timeoutMs: 1000, onWait }
  await t.rejects(waitForMigrations(url, 'shop', directory, options), { code: 'unavailable' })
  t.match(reasons, ['the database is not available'])
  await t.rejects(migrate(url, 'shop', directory, options), { code: 'unavailable' })
  t.equal(reasons.length, 2)
})

/** @returns the URL of a way to a server on which no statement arrives */
async function silentAfterLogin(t: Test, url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const silent = new URL(url)
  silent.port = await relay(t, (client) => {
    const server = connect(Number(port), hostname).on('error', () => {})
    server.pipe(client)
    client.on('close', () => server.destroy())
    let isSilent = false
    client.on('data', (chunk) => {
      // `Q` and `P` begin a statement; messages of a login begin otherwise.
      isSilent ||= /^[QP]/.test(chunk.toString('latin1'))
      if (!isSilent) server.write(chunk)
    })
  })
  return silent.href
}
