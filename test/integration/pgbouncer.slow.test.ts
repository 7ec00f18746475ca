import { startAuth } from '@svc/auth'
import { authSettings } from '@svc/auth/settings'
import { loadSettings } from '@svc/config'
import { checkSessions, type Database, openDatabase } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import { startResource } from '@svc/resource'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { internalEnv } from '../support/internal.ts'
import { type PgBouncerOptions, pgbouncerOf, startPgBouncer } from '../support/pgbouncer.ts'
import { startStack } from '../support/stack.ts'

const current = pgbouncerOf('trixie')
const old = pgbouncerOf('bookworm')
const skip = current === undefined && 'the packages of PgBouncer cannot be had'
const skipOld = old === undefined && 'the packages of an old PgBouncer cannot be had'
const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

async function prepare(t: Test, options: Partial<PgBouncerOptions> = {}) {
  const database = await createTestDatabase(t)
  const pooler = await startPgBouncer({
    serverUrl: database.url,
    command: current ?? [],
    ...options,
  })
  t.teardown(() => pooler.stop())
  return { direct: database.url, pooled: pooler.urlOf(database.url), database }
}

/** How the start of the resource service ends. */
async function startWith(t: Test, env: Readonly<Record<string, string>>) {
  const all = { ...internalEnv('resource'), SVC_RESOURCE_LISTEN: '127.0.0.1:0', ...env }
  const { settings } = loadSettings(authSettings, { env: all, systemFiles: [] })
  const started = await startResource({ settings, log })
  t.teardown(() => started.close())
}

function open(t: Test, url: string): Database {
  const db = openDatabase(url, { name: 'test', maxConnections: 4, log, acquireTimeoutMs: 5000 })
  t.teardown(() => db.close())
  return db
}

t.test('the services work through PgBouncer in transaction mode', { skip }, async (t) => {
  const { direct, pooled, database } = await prepare(t)
  const { api, urls, token } = await startStack(t, {
    gateways: 2,
    resources: 2,
    env: { SVC_DB_URL: pooled, SVC_DB_DIRECT_URL: direct },
  })
  const flags = '/api/v1/namespaces/default/flags'
  const body = { type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  for (let i = 0; i < 20; i += 1) {
    t.match(await api('POST', flags, { ...body, key: `f${i}`, name: 'F' }), { status: 200 })
  }
  await t.test('a change reaches every gateway', async () => {
    const authorization = `Bearer ${token}`
    for (const url of urls) {
      await waitFor(async () => {
        const answer = await fetch(`${url}/evaluate/v1/boolean`, {
          method: 'POST',
          headers: { authorization },
          body: JSON.stringify({ namespaceKey: 'default', flagKey: 'f19', entityId: 'e' }),
        })
        return answer.status === 200
      })
    }
  })
  await t.test('notifications come by the direct URL, and all else by the pooler', async (t) => {
    const sessions = await database.query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' OR query LIKE 'SHOW transaction%'`,
    )
    t.ok(sessions.some(({ name }) => name.startsWith('listen ')))
  })
})

t.test('a statement of 3 s ends after 2', { skip }, async (t) => {
  const { pooled } = await prepare(t)
  const db = open(t, pooled)
  await db.query('SELECT 1')
  const startedAt = performance.now()
  await t.rejects(db.query('SELECT pg_sleep(3)'), { code: 'unavailable', cause: { code: '57014' } })
  const tookMs = performance.now() - startedAt
  t.ok(tookMs > 1900 && tookMs < 2900, `${Math.round(tookMs)} ms`)
  t.strictSame(await db.query('SELECT $1::int AS n', [1]), [{ n: 1 }], 'and it works afterwards')
})

t.test(
  'statements are prepared once for many clients, and anew after a migration',
  { skip },
  async (t) => {
    const { pooled, database } = await prepare(t, { settings: { default_pool_size: '2' } })
    const clients = [open(t, pooled), open(t, pooled), open(t, pooled)]
    await database.query('CREATE TABLE notes (key text PRIMARY KEY, size int)')
    await database.query(`INSERT INTO notes VALUES ('a', 7)`)
    const read = (db: Database) => db.query('SELECT size FROM notes WHERE key = $1', ['a'])
    const readAll = () =>
      Promise.all(Array.from({ length: 30 }, (_, i) => read(clients[i % 3] ?? database)))
    for (const [type, size] of [
      ['int', 7],
      ['text', '7'],
      ['bigint', 7],
    ] as const) {
      await database.query(`ALTER TABLE notes ALTER size TYPE ${type} USING size::text::${type}`)
      const sizes = (await readAll()).flat()
      t.strictSame(
        [...new Set(sizes.map((row) => JSON.stringify(row)))],
        [JSON.stringify({ size })],
      )
    }
  },
)

const refusals: readonly {
  readonly what: string
  readonly settings?: PgBouncerOptions['settings']
  readonly database?: string
  readonly isOld?: boolean
  readonly hasDirectUrl?: boolean
  readonly message: RegExp
}[] = [
  {
    what: 'no direct URL',
    hasDirectUrl: false,
    message: /pools by transaction: set db\.direct_url to PostgreSQL itself/,
  },
  {
    what: 'a pooler that sets statement_timeout otherwise',
    database: "connect_query='SET statement_timeout = 0'",
    message:
      /lack a setting of its role: statement_timeout is 0 instead of 2s\. Run the migrations/,
  },
  {
    what: 'a pooler that sets lock_timeout otherwise',
    database: "connect_query='SET lock_timeout = 0'",
    message: /lock_timeout is 0 instead of 1s/,
  },
  {
    what: 'a pooler that keeps no prepared statements',
    settings: { max_prepared_statements: '0' },
    message: /loses prepared statements: use PgBouncer 1\.21 or later/,
  },
  {
    what: 'a pooler that pools by statement',
    settings: { pool_mode: 'statement' },
    message: /pools by statement and has no transactions/,
  },
  {
    what: 'PgBouncer 1.18',
    isOld: true,
    settings: { max_prepared_statements: undefined },
    message: /loses prepared statements: use PgBouncer 1\.21 or later with pool_mode/,
  },
]

for (const {
  what,
  settings = {},
  database,
  isOld = false,
  hasDirectUrl = true,
  message,
} of refusals) {
  t.test(
    `a start with ${what} fails, and says why`,
    { skip: isOld ? skipOld : skip },
    async (t) => {
      const { direct, pooled } = await prepare(t, {
        ...(isOld ? { command: old ?? [] } : {}),
        settings,
        ...(database === undefined ? {} : { database }),
      })
      const env = { SVC_DB_URL: pooled, ...(hasDirectUrl ? { SVC_DB_DIRECT_URL: direct } : {}) }
      await t.rejects(startWith(t, env), { code: 'failed_precondition', message })
      if (hasDirectUrl) return
      await t.resolves(
        startWith(t, { ...env, SVC_DB_DIRECT_URL: direct }),
        'a start with one succeeds: the sessions of the pooler are as they were',
      )
    },
  )
}

t.test('a direct URL that leads to the pooler is refused', { skip }, async (t) => {
  const { pooled } = await prepare(t)
  const checking = checkSessions(pooled, { log, directUrl: `${pooled}?application_name=x` })
  await t.rejects(checking, { message: /set db\.direct_url to PostgreSQL itself/ })
})

t.test('a pooler by session needs no direct URL', { skip }, async (t) => {
  // Its own default: sessions of the migration are still there for the requests.
  const ofPooler = { pool_mode: 'session', server_idle_timeout: undefined }
  const { pooled, database } = await prepare(t, { settings: ofPooler })
  // As on a new server: the migration gives them to a role whose sessions are open.
  await database.query(
    `DO $$ BEGIN
       EXECUTE format('ALTER ROLE %I IN DATABASE %I RESET ALL', current_user, current_database());
     END $$`,
  )
  await startWith(t, { SVC_DB_URL: pooled })
  const auth = { ...internalEnv('auth'), SVC_AUTH_LISTEN: '127.0.0.1:0', SVC_DB_URL: pooled }
  const { settings } = loadSettings(authSettings, { env: auth, systemFiles: [] })
  const started = await startAuth({ settings, log })
  await started.close()
  const db = open(t, pooled)
  const read = `SELECT current_setting('statement_timeout') AS timeout FROM pg_sleep(0.2)`
  const timeouts = (await Promise.all(Array.from({ length: 4 }, () => db.query(read)))).flat()
  t.strictSame(timeouts, Array(4).fill({ timeout: '2s' }))
})
