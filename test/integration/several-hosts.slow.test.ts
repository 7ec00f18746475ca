import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, listen, migrate, openDatabase, watchState } from '@svc/database'
import { withSession } from '@svc/database/testing'
import { findFreePort } from '@svc/local/ports'
import { startPostgres } from '@svc/local/postgres'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { promote, startStandby } from '../support/replication.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** Two servers of the same role and password. Each says its port. */
async function startTwo(t: Test) {
  const root = await mkdtemp(join(tmpdir(), 'svc-hosts-'))
  const directory = join(root, 'primary')
  const primary = { ...(await startPostgres({ directory, durable: false })), directory }
  const standby = await startStandby(primary, join(root, 'standby'), {
    port: await findFreePort(),
    durable: false,
  })
  t.teardown(async () => {
    await Promise.all([primary.stop(), standby.stop()])
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })
  const urlOf = (...ports: number[]) =>
    primary.url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join())
  return { primary, standby, urlOf, nowhere: await findFreePort() }
}

function open(t: Test, url: string): Database {
  const db = openDatabase(url, { name: 'test', maxConnections: 3, log, acquireTimeoutMs: 8000 })
  t.teardown(() => db.close())
  return db
}

async function portOf(db: Database): Promise<number | undefined> {
  const [row] = await db.query<{ port: number }>('SELECT inet_server_port() AS port')
  return row?.port
}

t.test('of several hosts the primary is taken', { timeout: 300_000 }, async (t) => {
  const { primary, standby, urlOf, nowhere } = await startTwo(t)
  const orders = [
    [primary.port, standby.port],
    [standby.port, primary.port],
    [nowhere, standby.port, primary.port],
  ]
  for (const order of orders) {
    await t.test(`the pool takes it, whatever the order`, async (t) => {
      const db = open(t, urlOf(...order))
      const ports = await Promise.all(Array.from({ length: 10 }, () => portOf(db)))
      t.strictSame([...new Set(ports)], [primary.port])
    })
  }

  await t.test('migrations take it', async (t) => {
    const files = t.testdir({ '0001_items.sql': 'CREATE TABLE shop.items (key text)' })
    const url = urlOf(nowhere, standby.port, primary.port)
    const applied = await migrate(url, 'shop', new URL(`file://${files}/`), { log })
    t.strictSame(applied, ['0001_items'])
  })

  await t.test('notifications come from it', async (t) => {
    const closing = new AbortController()
    const received: string[] = []
    let isConnected = false
    const listening = listen(urlOf(standby.port, primary.port), 'news', {
      log,
      signal: closing.signal,
      onConnect: () => {
        isConnected = true
      },
      onNotification: (payload) => void received.push(payload),
    })
    await waitFor(() => isConnected)
    await withSession(primary.url, (db) => db.query(`SELECT pg_notify('news', 'a')`))
    await waitFor(() => received.length > 0)
    closing.abort()
    await listening
    t.strictSame(received, ['a'])
  })

  await t.test('without one, the database is unavailable', async (t) => {
    const db = open(t, urlOf(standby.port, nowhere))
    await t.rejects(db.query('SELECT 1'), { code: 'unavailable' })
    const alone = open(t, standby.url)
    t.equal(await portOf(alone), standby.port, 'a standby that is named alone serves reads')
    await t.rejects(alone.query('CREATE TABLE x ()'), { code: 'unavailable' })
    await t.rejects(
      alone.transaction((tx) => tx.query('CREATE TABLE x ()')),
      { code: 'unavailable' },
    )
  })

  await t.test('an error names the primary that refuses, not the standby', async (t) => {
    const file = join(primary.directory, 'data', 'pg_hba.conf')
    const rules = await readFile(file, 'utf8')
    const reload = async (text: string) => {
      await writeFile(file, text)
      await withSession(primary.url, (db) => db.query('SELECT pg_reload_conf()'))
    }
    await withSession(primary.url, (db) => db.query(`CREATE ROLE shop LOGIN PASSWORD 'secret'`))
    const asShop = (...ports: number[]) => urlOf(...ports).replace(/\/\/[^@]+@/, '//shop:secret@')
    const connect = (url: string) => withSession(url, async () => {})
    const refuses = (port: number) =>
      connect(asShop(port)).then(
        () => false,
        () => true,
      )
    await waitFor(async () => !(await refuses(standby.port)))
    await reload(`host all shop all reject\n${rules}`)
    await waitFor(() => refuses(primary.port))
    for (const ports of [
      [primary.port, standby.port],
      [standby.port, primary.port],
    ]) {
      await t.rejects(connect(asShop(...ports)), {
        code: 'failed_precondition',
        message: new RegExp(`^PostgreSQL at 127\\.0\\.0\\.1:${primary.port} refuses .*pg_hba`),
      })
      await t.rejects(open(t, asShop(...ports)).query('SELECT 1'), {
        code: 'unavailable',
        cause: { message: /pg_hba/ },
      })
    }
    await reload(rules)
  })

  await t.test('an unlogged table of a standby is unavailable', async (t) => {
    await withSession(primary.url, (db) => db.query('CREATE UNLOGGED TABLE seen (at timestamptz)'))
    const alone = open(t, standby.url)
    await waitFor(async () => {
      const [row] = await alone.query<{ name: unknown }>(`SELECT to_regclass('seen') AS name`)
      return row?.name !== null
    })
    const refused = { code: 'unavailable', cause: { code: '0A000' } }
    await t.rejects(alone.query('SELECT at FROM seen'), refused)
    await t.rejects(alone.query('UPDATE seen SET at = now()'), refused)
  })

  await t.test('a primary that becomes read-only loses its connections to the other', async (t) => {
    const db = open(t, urlOf(primary.port, standby.port))
    await db.query('CREATE TABLE IF NOT EXISTS notes (port int)')
    t.equal(await portOf(db), primary.port)
    const reader = open(t, urlOf(primary.port, standby.port))
    t.equal(await portOf(reader), primary.port)
    await withSession(standby.url, (other) =>
      waitFor(async () => {
        const [row] = await other.query<{ name: unknown }>(`SELECT to_regclass('notes') AS name`)
        return row?.name !== null
      }),
    )
    await promote(standby)
    await withSession(primary.url, async (admin) => {
      await admin.query('ALTER SYSTEM SET default_transaction_read_only = on')
      await admin.query('SELECT pg_reload_conf()')
    })
    await waitFor(async () => {
      // A connection may take it for a moment longer: each learns of the setting by a signal.
      const written = db.query<{ port: number }>(
        'INSERT INTO notes SELECT inet_server_port() RETURNING port',
      )
      return (await written.catch(() => [])).some(({ port }) => port === standby.port)
    })
    t.strictSame(await db.query('SELECT port FROM notes'), [{ port: standby.port }])
    const ports = await Promise.all(Array.from({ length: 10 }, () => portOf(db)))
    t.strictSame([...new Set(ports)], [standby.port], 'reads, too, go to the other')

    t.equal(await portOf(reader), primary.port, 'one that never writes does not find out')
    const watch = watchState(db, [reader], log)
    t.teardown(() => watch.close())
    await waitFor(async () => (await portOf(reader)) === standby.port)
  })
})
