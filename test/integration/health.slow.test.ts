import { migrate } from '@svc/database'
import { createTestDatabase, withSession } from '@svc/database/testing'
import { findFreePort } from '@svc/local/ports'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { call } from '../support/http.ts'
import { parseMetrics, scrape, sumOf } from '../support/metrics.ts'
import { databaseEnv } from '../support/pooled.ts'
import { startServiceProcess } from '../support/service-process.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** What a service answers on its port for health; `undefined` while nothing listens there. */
async function statusOf(port: number, path: string): Promise<number | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.status
}

const listen = (port: number) => ({ SVC_METRICS_PORT: String(port) })

for (const service of ['auth', 'resource'] as const) {
  t.test(
    `${service} lives while it waits for its tables, and is ready when it serves`,
    async (t) => {
      const db = await createTestDatabase(t)
      const port = await findFreePort()
      const started = startServiceProcess(t, service, {
        ...listen(port),
        SVC_AUTH_LISTEN: '127.0.0.1:0',
        SVC_RESOURCE_LISTEN: '127.0.0.1:0',
        ...databaseEnv(db.url),
        SVC_DB_AUTO_MIGRATE: 'false',
      })
      await waitFor(async () => (await statusOf(port, '/healthz')) === 200)
      const ask = () => call(`http://127.0.0.1:${port}`, 'GET', '/readyz')
      const reason = new RegExp(`^Schema "${service}" is at version 0, this build needs [1-9]`)
      await waitFor(async () => 'parts' in ((await ask()).body as object))
      t.match(await ask(), {
        status: 503,
        body: { status: 'not ready', parts: { start: { state: 'waiting', reason } } },
      })
      const root = new URL('../', import.meta.resolve(`@svc/${service}/main`))
      await migrate(db.url, service, new URL('migrations/', root), { log })
      const process = await started
      t.equal(await statusOf(port, '/readyz'), 200)
      await process.kill('SIGTERM')
      t.equal(await statusOf(port, '/healthz'), undefined)
    },
  )
}

t.test('what the start waited for is not said while the flags are read', async (t) => {
  const db = await createTestDatabase(t)
  const root = new URL('../', import.meta.resolve('@svc/resource/main'))
  await migrate(db.url, 'resource', new URL('migrations/', root), { log })
  const [last] = await db.query<{ name: string }>(
    `DELETE FROM resource.migrations
      WHERE id = (SELECT max(id) FROM resource.migrations) RETURNING name`,
  )
  const port = await findFreePort()
  const started = startServiceProcess(t, 'resource', {
    ...listen(port),
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    ...databaseEnv(db.url),
    SVC_DB_AUTO_MIGRATE: 'false',
  })
  await waitFor(async () => (await statusOf(port, '/healthz')) === 200)
  const answer = async () => (await call(`http://127.0.0.1:${port}`, 'GET', '/readyz')).body
  await waitFor(async () => 'parts' in ((await answer()) as object))
  await withSession(db.url, async (admin) => {
    await admin.query('SET idle_in_transaction_session_timeout = 0')
    await admin.query('BEGIN')
    await admin.query('LOCK TABLE resource.namespaces IN ACCESS EXCLUSIVE MODE')
    await db.query('INSERT INTO resource.migrations (name, run_on) VALUES ($1, now())', [
      last?.name,
    ])
    await waitFor(async () => !('parts' in ((await answer()) as object)))
    t.strictSame(await answer(), { status: 'not ready' })
    await admin.query('ROLLBACK')
  })
  await started
  t.match(await answer(), { status: 'ready' })
})

for (const service of ['auth', 'resource'] as const) {
  t.test(
    `${service} logs once that its database is read-only, and that it is not any more, and measures it`,
    async (t) => {
      const db = await createTestDatabase(t)
      const port = await findFreePort()
      const { lines } = await startServiceProcess(t, service, {
        ...listen(port),
        SVC_AUTH_LISTEN: '127.0.0.1:0',
        SVC_RESOURCE_LISTEN: '127.0.0.1:0',
        SVC_DB_URL: db.url,
      })
      const name = new URL(db.url).pathname.slice(1)
      const becomes = async (state: string, value: string) => {
        await db.transaction(async (tx) => {
          // This session may be one that only reads.
          await tx.query('SET TRANSACTION READ WRITE')
          await tx.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
        })
        // It holds for new sessions.
        await db.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`,
        )
        await waitFor(async () => {
          const { status, text } = await call(`http://127.0.0.1:${port}`, 'GET', '/readyz')
          return status === 200 && text.includes(`"database":{"state":"${state}"}`)
        })
        const samples = parseMetrics(await scrape({ lines }))
        const isWritable = state === 'current' ? 1 : 0
        t.equal(sumOf(samples, 'svc_database_writable'), isWritable, state)
      }
      await becomes('read-only', 'on')
      await becomes('current', 'off')
      const said = lines.filter(({ msg }) =>
        /^the database (is read-only|takes changes)/.test(String(msg)),
      )
      t.strictSame(
        said.map(({ level }) => level),
        ['warn', 'info'],
      )
    },
  )
}

t.test('a gateway says there what it says on its own port', async (t) => {
  const port = await findFreePort()
  const gateway = await startServiceProcess(t, 'gateway', {
    ...listen(port),
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    SVC_AUTH_ADDRESS: '127.0.0.1:1',
    SVC_RESOURCE_ADDRESS: '127.0.0.1:1',
  })
  const waiting = {
    status: 503,
    body: {
      status: 'not ready',
      parts: { flags: { state: 'waiting' }, auth: { state: 'waiting' } },
    },
  }
  for (const from of [gateway.port, port]) {
    t.match(await call(`http://127.0.0.1:${from}`, 'GET', '/readyz'), waiting)
  }
  t.equal(await statusOf(port, '/healthz'), 200)
})

const gatewayEnv = { SVC_SERVER_HOST: '127.0.0.1', SVC_SERVER_HTTP_PORT: '0' }

t.test('a port that another process has is said in one line, and the service starts', async (t) => {
  const port = await findFreePort()
  const env = { ...gatewayEnv, ...listen(port) }
  await startServiceProcess(t, 'gateway', env)
  const second = await startServiceProcess(t, 'gateway', env)
  const message = new RegExp(`^cannot listen on 127\\.0\\.0\\.1:${port} for health and metrics: `)
  const warnings = second.lines.filter(({ msg }) => message.test(String(msg)))
  t.strictSame(
    warnings.map(({ level }) => level),
    ['warn'],
  )
  t.equal((await call(`http://127.0.0.1:${second.port}`, 'GET', '/healthz')).status, 200)
})

t.test(
  'health.listen, the older name, goes before; a port that is taken is fatal there',
  async (t) => {
    const port = await findFreePort()
    const env = { ...gatewayEnv, ...listen(0), SVC_HEALTH_LISTEN: `127.0.0.1:${port}` }
    await startServiceProcess(t, 'gateway', env)
    t.equal(await statusOf(port, '/healthz'), 200)
    await t.rejects(startServiceProcess(t, 'gateway', env), {
      message: /cannot listen on 127\.0\.0\.1:\d+ for health and metrics/,
    })
  },
)

t.test('variables of metrics go before health.listen of the file, as in the images', async (t) => {
  const [port, ofFile] = [await findFreePort(), await findFreePort()]
  const file = { health: { listen: `127.0.0.1:${ofFile}` } }
  const directory = t.testdir({ 'config.yml': JSON.stringify(file) })
  const config = { SVC_CONFIG: `${directory}/config.yml` }
  await startServiceProcess(t, 'gateway', { ...gatewayEnv, ...listen(port), ...config })
  t.equal(await statusOf(port, '/healthz'), 200)
  t.equal(await statusOf(ofFile, '/healthz'), undefined)
})
