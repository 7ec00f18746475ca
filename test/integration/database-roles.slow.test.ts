import { randomBytes } from 'node:crypto'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'

t.test('auth and resource work with roles that have their own schema alone', async (t) => {
  const suffix = randomBytes(6).toString('hex')
  const server = await createTestDatabase(t)
  const roles = { auth: `auth_${suffix}`, resource: `resource_${suffix}` }
  t.teardown(async () => {
    for (const role of Object.values(roles)) await server.query(`DROP ROLE IF EXISTS ${role}`)
  })
  const db = await createTestDatabase(t)
  const urlOf = (username: string) =>
    Object.assign(new URL(db.url), { username, password: 'their-own' }).href
  const { api } = await startFleet(t, {
    databaseUrl: db.url,
    env: { SVC_DB_OWNER_URL: db.url },
    envOf: {
      auth: { SVC_DB_URL: urlOf(roles.auth) },
      resource: { SVC_DB_URL: urlOf(roles.resource) },
    },
  })

  const flag = { key: 'f', name: 'F', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  t.match(await api('POST', '/api/v1/namespaces/default/flags', flag), { status: 200 })
  t.match(await api('DELETE', '/api/v1/namespaces/default/flags/f'), { status: 200 })
  const made = await api('POST', '/auth/v1/method/token', { name: 'short' })
  t.match(made, { status: 200 })
  const { authentication } = made.body as { authentication: { id: string } }
  t.match(await api('DELETE', `/auth/v1/tokens/${authentication.id}`), { status: 200 })

  const used = await db.query<{ role: string; name: string }>(
    `SELECT DISTINCT usename AS role, application_name AS name FROM pg_stat_activity
      WHERE datname = current_database() AND usename = ANY($1)`,
    [Object.values(roles)],
  )
  t.ok(used.some(({ role }) => role === roles.auth))
  t.ok(used.some(({ role }) => role === roles.resource))
  const may = await db.query(
    `SELECT has_schema_privilege($1, 'resource', 'USAGE') AS auth,
            has_schema_privilege($2, 'auth', 'USAGE') AS resource`,
    [roles.auth, roles.resource],
  )
  t.strictSame(may, [{ auth: false, resource: false }], 'neither reads the schema of the other')
})
