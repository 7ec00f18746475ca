import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate, openDatabase } from '@svc/database'
import { withSession } from '@svc/database/testing'
import { startPostgres } from '@svc/local/postgres'
import { createLogger } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { createAuthority } from '../support/certificates.ts'
import { startStack } from '../support/stack.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/** A server with a certificate for `localhost`, by an authority of its own; and a role that is no superuser. */
async function startManaged(t: Test) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-managed-'))
  const server = await startPostgres({ directory, durable: false })
  t.teardown(async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true, maxRetries: 5 })
  })
  const [authority, other] = await Promise.all([createAuthority(), createAuthority()])
  const { cert, key } = await authority.issue('localhost')
  const write = async (name: string, text: string) => {
    const path = join(directory, name)
    await writeFile(path, text)
    await chmod(path, name.endsWith('.key') ? 0o600 : 0o644)
    return path
  }
  const [certFile, keyFile] = [await write('tls.crt', cert), await write('tls.key', key)]
  await withSession(server.url, async (db) => {
    await db.query(`CREATE ROLE customer LOGIN PASSWORD 'pw'`)
    await db.query('CREATE DATABASE flags')
    await db.query('GRANT CREATE ON DATABASE flags TO customer')
    await db.query(`ALTER SYSTEM SET ssl_cert_file = '${certFile}'`)
    await db.query(`ALTER SYSTEM SET ssl_key_file = '${keyFile}'`)
    await db.query('ALTER SYSTEM SET ssl = on')
    await db.query('SELECT pg_reload_conf()')
    await waitFor(async () => {
      const [row] = await db.query<{ ssl: string }>('SHOW ssl')
      return row?.ssl === 'on'
    })
  })
  return {
    ca: await write('ca.pem', authority.cert),
    otherCa: await write('other.pem', other.cert),
    urlOf: (host: string, parameters: string) =>
      `postgres://customer:pw@${host}:${server.port}/flags?${parameters}`,
  }
}

t.test('a managed PostgreSQL', { timeout: 300_000 }, async (t) => {
  const { ca, otherCa, urlOf } = await startManaged(t)
  const good = urlOf('localhost', `sslmode=verify-full&sslrootcert=${ca}`)

  /** Whether the session of a pool is encrypted. */
  const isEncrypted = async (t: Test, url: string) => {
    const db = openDatabase(url, { name: 'test', maxConnections: 1, log, acquireTimeoutMs: 8000 })
    t.teardown(() => db.close())
    const [row] = await db.query<{ ssl: boolean }>(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    )
    return row?.ssl
  }
  for (const mode of ['verify-full', 'require', 'verify-ca', 'prefer']) {
    await t.test(`sslmode=${mode} verifies the certificate and the name`, async (t) => {
      const with_ = (host: string, file: string) =>
        isEncrypted(t, urlOf(host, `sslmode=${mode}&sslrootcert=${file}`))
      t.equal(await with_('localhost', ca), true)
      await t.rejects(with_('localhost', otherCa), { code: 'unavailable' })
      await t.rejects(with_('127.0.0.1', ca), { code: 'unavailable' })
      await t.rejects(isEncrypted(t, urlOf('localhost', `sslmode=${mode}`)), {
        code: 'unavailable',
      })
    })
  }
  await t.test('the parameter of libpq compatibility does not weaken it', async (t) => {
    const url = urlOf('127.0.0.1', `uselibpqcompat=true&sslmode=require&sslrootcert=${ca}`)
    await t.rejects(isEncrypted(t, url), { code: 'unavailable' })
  })
  await t.test('a CA file that is missing is said', async (t) => {
    const files = t.testdir({ '0001_items.sql': 'CREATE TABLE shop.items (key text)' })
    const url = urlOf('localhost', 'sslmode=verify-full&sslrootcert=/nonexistent/ca.pem')
    const migrating = migrate(url, 'shop', new URL(`file://${files}/`), { log })
    await t.rejects(migrating, { code: 'failed_precondition', message: /no such file.*ca\.pem/ })
  })

  await t.test('the services work with a role that is no superuser, over TLS', async (t) => {
    const { api } = await startStack(t, { env: { SVC_DB_URL: good, SVC_DB_DIRECT_URL: '' } })
    const flag = { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
    t.match(await api('POST', '/api/v1/namespaces/default/flags', flag), { status: 200 })
    t.match(await api('GET', '/auth/v1/self'), { status: 200 })
  })
})

t.test('replicas open no more connections than docs/databases.md says', async (t) => {
  const { api, databaseUrl } = await startStack(t, {
    resources: 2,
    env: { SVC_DB_MAX_CONNECTIONS: '4' },
  })
  const flags = '/api/v1/namespaces/default/flags'
  const write = (i: number) => api('POST', flags, { key: `f${i}`, name: 'F' })
  // The pools are full when more requests come at once than they have connections.
  await Promise.all(Array.from({ length: 60 }, (_, i) => write(i)))
  await Promise.all(Array.from({ length: 60 }, () => api('GET', '/auth/v1/tokens')))
  const rows = await withSession(databaseUrl, (db) =>
    db.query<{ name: string; count: number }>(
      `SELECT application_name AS name, count(*)::int AS count FROM pg_stat_activity
        WHERE datname = current_database() AND application_name ~ '^(auth|resource|listen )'
        GROUP BY 1`,
    ),
  )
  const counts = new Map(rows.map(({ name, count }) => [name, count]))
  t.comment(JSON.stringify(rows))
  const countOf = (pattern: RegExp) =>
    [...counts].reduce((sum, [name, count]) => sum + (pattern.test(name) ? count : 0), 0)
  const atMost = { auth: 4, 'auth background': 6, resource: 2 * 4, 'resource background': 2 * 8 }
  for (const [name, most] of Object.entries(atMost)) {
    const count = counts.get(name) ?? 0
    t.ok(count >= 1 && count <= most, `${name}: ${count} of ${most}`)
  }
  t.equal(countOf(/^listen /), 3, 'one for the notifications of each')
})
