import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { migrate, type Queryable } from '@svc/database'
import { createTestDatabase, type TestDatabase, withSession } from '@svc/database/testing'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { startBalancer } from '../support/balancer.ts'
import { type Fleet, startFleet } from '../support/fleet.ts'
import { learnAnswers, startMixedTraffic } from '../support/mixed-traffic.ts'
import { writePostgresClient } from '../support/postgres-client.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { svcFor } from '../support/svc.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The commands of a section of a page, by block. */
function commandsOf(title: string, path = 'docs/operating.md'): readonly string[] {
  const page = readFileSync(join(root, path), 'utf8')
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, code = '']) => code)
}

const [backUp = ''] = commandsOf('Backup')
const [restore = '', remove = ''] = commandsOf('Restore')

/** Random content of all kinds. */
const content = join(root, 'test/fixtures/v1-export.yml')

t.setTimeout(600_000)

/** @returns the major version of the server, such as 18 */
async function versionOf(db: Queryable): Promise<number> {
  const [row] = await db.query<{ number: string }>(
    `SELECT current_setting('server_version_num') AS number`,
  )
  return Math.floor(Number(row?.number) / 10_000)
}

/** Runs commands as the documentation has them, in a folder of their own. */
function openShell(t: Test, serverVersion: number) {
  const folder = t.testdir({})
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const missing = writePostgresClient(bin, serverVersion)
  const run = async (
    commands: string,
    url: string,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const child = spawn('bash', ['-euc', commands], {
      cwd: folder,
      env: { PATH: `${bin}:${process.env.PATH}`, DATABASE_URL: url, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code: child.exitCode, output, errors }
  }
  return { bin, run, missing }
}

/** The rows of every table of both schemas, as a hash each; without what the restore itself sets. */
async function hashTables(db: Queryable): Promise<Readonly<Record<string, string>>> {
  const tables = await db.query<{ name: string }>(
    `SELECT schemaname || '.' || tablename AS name FROM pg_tables
      WHERE schemaname IN ('auth', 'resource') ORDER BY 1`,
  )
  const hashes: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await db.query<{ hash: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(content::text, E'\n' ORDER BY content::text), '')) AS hash
         FROM (SELECT to_jsonb(one) - 'compacted_revision' AS content FROM ${name} AS one) AS rows`,
    )
    hashes[name] = row?.hash ?? ''
  }
  return hashes
}

async function exportAll({ urls, token }: Fleet): Promise<string> {
  const { stdout } = await svcFor({ url: urls[0], token })(['export', '--all-namespaces'])
  return stdout.replace(/^# exported by .*\n/, '')
}

async function readRevisions(db: Queryable) {
  return db.query('SELECT key, revision FROM resource.namespaces ORDER BY key')
}

/** @returns the revision of the write, and the tag of the snapshot that has it */
async function writeAfterRestore({ api }: Fleet, name: string) {
  const written = await api('PUT', '/api/v1/namespaces/default/flags/written-0', { name })
  t.equal(written.status, 200, written.text)
  const position = written.headers.get('x-svc-revision') ?? ''
  const path = '/internal/v1/evaluation/snapshot/namespace/default'
  const snapshot = await api('GET', path, undefined, { 'x-svc-min-revision': position })
  t.equal(snapshot.status, 200, snapshot.text)
  return { revision: Number(/:(\d+)/.exec(position)?.[1]), tag: snapshot.headers.get('etag') }
}

async function endServices({ gateways, auths, resources }: Fleet): Promise<void> {
  for (const service of [...gateways, ...auths, ...resources]) await service.kill('SIGTERM')
}

t.test('a backup, with the commands of docs/operating.md', async (t) => {
  const database = await createTestDatabase(t)
  const shell = openShell(t, await versionOf(database))
  if (shell.missing !== undefined) {
    t.pass('', { skip: shell.missing })
    return
  }
  const fleet = await startFleet(t, { databaseUrl: database.url })
  const svc = svcFor({ url: fleet.urls[0], token: fleet.token })
  t.match(await svc(['import', content]), { code: 0 })

  await t.test('while writes go on, is the state at its snapshot', async (t) => {
    const questions = await learnAnswers(fleet.api)
    const { port } = await startBalancer(
      t,
      fleet.gateways.map((gateway) => gateway.port),
    )
    const options = { port, token: fleet.token, perSecond: 40, questions }
    const { traffic } = await startMixedTraffic(t, fleet.api, options)
    const restored = await createTestDatabase(t)
    const expected = await database.transaction(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0')
      const [snapshot] = await tx.query<{ id: string }>('SELECT pg_export_snapshot() AS id')
      const more = { PG_DUMP_OPTIONS: `--snapshot=${snapshot?.id}` }
      t.match(await shell.run(backUp, database.url, more), { code: 0, errors: '' })
      return hashTables(tx)
    })
    const { outcomes } = await traffic.stop()
    // A machine with other work refuses some.
    const bad = Object.keys(outcomes).filter((one) => one !== 'right' && !one.includes(': 503 '))
    t.strictSame(bad, [], JSON.stringify(outcomes))
    t.notSame(await hashTables(database), expected, 'there were writes after the snapshot')
    t.match(await shell.run(restore, restored.url), { code: 0, errors: '' })
    t.strictSame(await hashTables(restored), expected)
  })

  const exported = await exportAll(fleet)
  // Services write on their own, and as they end.
  await endServices(fleet)
  const [revisions, hashes] = [await readRevisions(database), await hashTables(database)]
  t.match(await shell.run(backUp, database.url), { code: 0, errors: '' })
  const restored = await createTestDatabase(t)
  let first: Awaited<ReturnType<typeof writeAfterRestore>> | undefined

  await t.test('is restored with the same export and revisions', async (t) => {
    t.match(await shell.run(restore, restored.url), { code: 0, errors: '' })
    t.strictSame(await hashTables(restored), hashes)
    const resumable = await restored.query(
      `SELECT key FROM resource.namespaces, resource.revisions WHERE compacted_revision < last_value`,
    )
    t.strictSame(resumable, [], 'namespaces that can be resumed from a revision that was lost')
    const again = await startFleet(t, { databaseUrl: restored.url, token: fleet.token })
    t.equal(await exportAll(again), exported)
    t.strictSame(await readRevisions(restored), revisions)

    await t.test('and its logs are as they were written', async (t) => {
      const verified = await svcFor({ url: again.urls[0], token: again.token })([
        'changes',
        'verify',
      ])
      t.match(verified, { code: 0 })
      const events = await again.api('GET', '/auth/v1/events/verification')
      t.match(events, { status: 200, body: { intact: true } })
    })

    await t.test('and later revisions than any that was given out', async (t) => {
      first = await writeAfterRestore(again, 'After the restore')
      const [last] = await database.query<{ value: string }>(
        'SELECT last_value AS value FROM resource.revisions',
      )
      t.ok(first.revision > Number(last?.value), `${first.revision} after ${last?.value}`)
    })
    await endServices(again)
  })

  await t.test('with another changes.key the logs cannot be verified', async (t) => {
    const env = { SVC_CHANGES_KEY: 'c'.repeat(64) }
    const other = await startFleet(t, {
      databaseUrl: restored.url,
      token: fleet.token,
      envOf: { auth: env, resource: env },
    })
    const verify = svcFor({ url: other.urls[0], token: other.token })
    t.match(await verify(['changes', 'verify']), { code: 3 })
    await endServices(other)
  })

  await t.test('is not restored over what is there', async (t) => {
    const before = await hashTables(restored)
    const refused = await shell.run(restore, restored.url)
    t.not(refused.code, 0)
    t.match(refused.errors, /schema "auth" already exists/)
    t.strictSame(await hashTables(restored), before)

    await t.test('but after that is removed', async (t) => {
      t.match(await shell.run(remove, restored.url), { code: 0 })
      t.match(await shell.run(restore, restored.url), { code: 0, errors: '' })
      t.strictSame(await hashTables(restored), hashes)
    })

    await t.test('and then gives out no revision of the first restore', async (t) => {
      const again = await startFleet(t, { databaseUrl: restored.url, token: fleet.token })
      const second = await writeAfterRestore(again, 'After the second restore')
      const both = `${second.revision} after ${first?.revision}`
      t.ok(first !== undefined && second.revision > first.revision, both)
      t.not(second.tag, first?.tag)
      await endServices(again)
    })
  })

  await t.test('needs no role that it names', async (t) => {
    const role = `gone_${database.url.slice(-8)}`
    await database.query(`CREATE ROLE ${role}`)
    await database.query(`GRANT USAGE ON SCHEMA resource TO ${role}`)
    await database.query(`GRANT ALL ON ALL TABLES IN SCHEMA resource TO ${role}`)
    t.match(await shell.run(backUp, database.url), { code: 0, errors: '' })
    await database.query(`DROP OWNED BY ${role}`)
    await database.query(`DROP ROLE ${role}`)
    const elsewhere = await createTestDatabase(t)
    t.match(await shell.run(restore, elsewhere.url), { code: 0, errors: '' })
    t.strictSame(await hashTables(elsewhere), hashes)
  })

  await t.test('that begins during a migration is of the schema before or after', async (t) => {
    const dumping = await migrateDuring(database, () => shell.run(backUp, database.url))
    t.match(dumping, { code: 0, errors: '' })
    const elsewhere = await createTestDatabase(t)
    t.match(await shell.run(restore, elsewhere.url), { code: 0, errors: '' })
    const columns = `SELECT 1 FROM information_schema.columns WHERE column_name = 'added_later'`
    const migrations = `SELECT 1 FROM resource.migrations WHERE name = '9999_added_later'`
    const [column, migration] = [await elsewhere.query(columns), await elsewhere.query(migrations)]
    t.equal(column.length, migration.length)
  })
})

/** A migration that changes a table has begun, and ends when the work waits for it. */
async function migrateDuring<T>(database: TestDatabase, work: () => Promise<T>): Promise<T> {
  const begun = Promise.withResolvers<Promise<T>>()
  await database.transaction(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await tx.query('ALTER TABLE resource.flags ADD COLUMN added_later text')
    await tx.query(
      `INSERT INTO resource.migrations (name, run_on) VALUES ('9999_added_later', now())`,
    )
    begun.resolve(work())
    await waitFor(async () => {
      const waiting = await database.query(
        `SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = 'pg_dump'
            AND wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
  })
  return await begun.promise
}

t.test('a backup, with the commands of docs/compose.md', async (t) => {
  const server = await startPostgresServer(t)
  const url = new URL(server.url)
  const shell = openShell(t, await withSession(url.href, versionOf))
  if (shell.missing !== undefined) {
    t.pass('', { skip: shell.missing })
    return
  }
  await withSession(url.href, (db) => db.query('CREATE DATABASE svc'))
  url.pathname = '/svc'
  const options = { log: createLogger({ level: 'silent', encoding: 'json' }, 'test') }
  for (const schema of ['auth', 'resource']) {
    const migrations = pathToFileURL(join(root, `services/${schema}/migrations/`))
    await migrate(url.href, schema, migrations, options)
  }
  // Runs in place what Compose would run in the container, with pipes as Compose has them.
  const script = `#!/bin/bash
[ "$2" = exec ] || exit 0
if [ "$4 $5" = "auth cat" ]; then printf key; exit; fi
shift 4
set -o pipefail
cat | "$@" | cat
`
  writeFileSync(join(shell.bin, 'docker'), script, { mode: 0o755 })
  const env = { PGHOST: url.hostname, PGPORT: url.port, PGPASSWORD: url.password }
  const [backUp = '', restore = ''] = commandsOf('Back up and restore', 'docs/compose.md')
  const run = (commands: string) => shell.run(commands, '', env)
  const read = () => withSession(url.href, hashTables)
  await withSession(url.href, async (db) => {
    await db.query(`INSERT INTO resource.namespaces (key, name) VALUES ('kept', 'Kept')`)
  })
  const kept = await read()
  t.match(await run(backUp), { code: 0, errors: '' })
  t.match(await run('[ "$(cat changes.key)" = key ]'), { code: 0 }, 'the key goes with it')
  await withSession(url.href, async (db) => {
    await db.query(`DELETE FROM resource.namespaces WHERE key = 'kept'`)
    await db.query('CREATE TABLE resource.later (key text REFERENCES resource.namespaces)')
    await db.query('CREATE VIEW auth.later AS SELECT id FROM auth.authentications')
  })
  const before = await read()

  await t.test('that is cut off replaces nothing', async (t) => {
    const cut = 'cp svc.dump whole.dump; truncate --size=-100 svc.dump'
    t.match(await run(cut), { code: 0 })
    t.not((await run(restore)).code, 0)
    t.strictSame(await read(), before)
    t.match(await run('mv whole.dump svc.dump'), { code: 0 })
  })

  await t.test('replaces what a later migration has made', async (t) => {
    t.match(await run(restore), { code: 0, errors: '' })
    t.strictSame(await read(), kept)
    const views = await withSession(url.href, (db) =>
      db.query(`SELECT FROM pg_views WHERE viewname = 'later'`),
    )
    t.equal(views.length, 0)
  })

  await t.test('moves the revisions on each time', async (t) => {
    const readLast = () =>
      withSession(url.href, async (db) => {
        const [row] = await db.query<{ last: string }>(
          'SELECT last_value AS last FROM resource.revisions',
        )
        return Number(row?.last)
      })
    const before = await readLast()
    t.match(await run(restore), { code: 0, errors: '' })
    const after = await readLast()
    t.ok(after > before, `${after} after ${before}`)
  })
})
