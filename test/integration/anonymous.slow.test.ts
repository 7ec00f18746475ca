import { startAuth } from '@svc/auth'
import { authSettings } from '@svc/auth/settings'
import { loadSettings } from '@svc/config'
import { createTestDatabase } from '@svc/database/testing'
import { startGateway } from '@svc/gateway'
import { startResource } from '@svc/resource'
import { createLogger, type Running } from '@svc/runtime'
import t from 'tap'
import { call } from '../support/http.ts'
import { internalEnv } from '../support/internal.ts'
import { databaseEnv } from '../support/pooled.ts'
import type { Service } from '../support/service-process.ts'
import { untilReady } from '../support/stack.ts'

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')
const token = 'the-first-token-of-this-test-0123456789'

/** Whether a credential is required, and whether management is exempt from that. */
const choices = [
  { SVC_AUTHENTICATION_REQUIRED: 'true', SVC_AUTHENTICATION_EXCLUDE_MANAGEMENT: 'false' },
  { SVC_AUTHENTICATION_REQUIRED: 'true', SVC_AUTHENTICATION_EXCLUDE_MANAGEMENT: 'true' },
  { SVC_AUTHENTICATION_REQUIRED: 'false', SVC_AUTHENTICATION_EXCLUDE_MANAGEMENT: 'false' },
  { SVC_AUTHENTICATION_REQUIRED: 'false', SVC_AUTHENTICATION_EXCLUDE_MANAGEMENT: 'true' },
]

const isOpen = (choice: (typeof choices)[number]) =>
  choice.SVC_AUTHENTICATION_REQUIRED === 'false' ||
  choice.SVC_AUTHENTICATION_EXCLUDE_MANAGEMENT === 'true'

const title = (choice: object) => Object.values(choice).join('/')

t.test('whether management needs a credential', { timeout: 120_000 }, async (t) => {
  const running: Running[] = []
  const { url } = await createTestDatabase(t)
  t.teardown(async () => {
    for (const service of running.toReversed()) await service.close()
  })
  const settingsOf = (service: Service, more: Readonly<Record<string, string>>) => {
    const env = {
      ...databaseEnv(url),
      SVC_DB_MAX_CONNECTIONS: '3',
      SVC_AUTH_LISTEN: '127.0.0.1:0',
      SVC_RESOURCE_LISTEN: '127.0.0.1:0',
      SVC_SERVER_HOST: '127.0.0.1',
      SVC_SERVER_HTTP_PORT: '0',
      SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
      ...internalEnv(service),
      ...more,
    }
    return loadSettings(authSettings, { env, systemFiles: [] }).settings
  }
  const resource = await startResource({ settings: settingsOf('resource', {}), log })
  running.push(resource)
  let count = 0

  for (const ofAuth of choices) {
    const auth = await startAuth({ settings: settingsOf('auth', ofAuth), log })
    running.push(auth)
    // A gateway that leaves it to auth, in one of the ways, and one that does not.
    for (const ofGateway of choices.slice(0, 2)) {
      const addresses = {
        SVC_AUTH_ADDRESS: `127.0.0.1:${auth.port}`,
        SVC_RESOURCE_ADDRESS: `127.0.0.1:${resource.port}`,
      }
      const settings = settingsOf('gateway', { ...ofGateway, ...addresses })
      const gateway = await startGateway({ settings, log })
      running.push(gateway)
      const base = `http://127.0.0.1:${gateway.port}`
      await untilReady(base)
      const both = `auth ${title(ofAuth)}, gateway ${title(ofGateway)}`
      await t.test(`is for both to say: ${both}`, async (t) => {
        const expected = isOpen(ofAuth) && isOpen(ofGateway) ? 200 : 401
        count += 1
        const flag = { key: `f${count}`, name: 'F' }
        const ask = async (headers: Record<string, string>) => [
          (await call(base, 'GET', '/api/v1/namespaces', undefined, headers)).status,
          (await call(base, 'POST', '/api/v1/flags', flag, headers)).status,
          (await call(base, 'DELETE', `/api/v1/flags/${flag.key}`, undefined, headers)).status,
        ]
        t.strictSame(await ask({}), [expected, expected, expected], 'with none')
        t.strictSame(await ask({ authorization: `Bearer ${token}` }), [200, 200, 200], 'with one')
        t.strictSame(await ask({ authorization: `Bearer ${token}x` }), [401, 401, 401])
      })
    }
  }
  t.comment(`${count} pairs of settings`)
})
