import { randomBytes } from 'node:crypto'
import { startAuth } from '@svc/auth'
import { authSettings } from '@svc/auth/settings'
import { loadSettings } from '@svc/config'
import { startGateway } from '@svc/gateway'
import { startResource } from '@svc/resource'
import { createLogger, type Running } from '@svc/runtime'
import { waitFor } from '@svc/runtime/testing'
import { trustingEnv } from './clients.ts'
import { call, type Request } from './http.ts'
import { internalEnv } from './internal.ts'
import type { Test } from './listen.ts'
import { openMigratedDatabase } from './migrated-database.ts'
import { databaseEnv } from './pooled.ts'
import type { Service } from './service-process.ts'

export interface Stack {
  /** One for each gateway, for example `http://127.0.0.1:41234`. */
  readonly urls: readonly [string, ...string[]]
  /** A token that may do everything. */
  readonly token: string
  readonly databaseUrl: string
  /** Calls the first gateway with the token. */
  readonly api: Request
  /** Ends the gateways, as a deployment does. */
  closeGateways(): Promise<void>
  /** Makes a token that is bound to a namespace. */
  createNamespacedToken(namespaceKey: string): Promise<string>
}

export interface StackOptions {
  readonly gateways?: number
  /** Processes of the resource service, which gateways call by turns. */
  readonly resources?: number
  /** Further settings, as environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

const log = createLogger({ level: 'silent', encoding: 'json' }, 'test')

/**
 * The three services in this process, over real sockets, on a database of the test's own and
 * without Redis. For tests of what the service answers; those that kill use processes.
 */
export async function startStack(t: Test, options: StackOptions = {}): Promise<Stack> {
  const running: Running[] = []
  const database = await openMigratedDatabase(t)
  t.teardown(async () => {
    for (const service of running.toReversed()) await service.close()
  })
  const token = randomBytes(24).toString('base64url')
  const env = {
    ...databaseEnv(database.url),
    SVC_AUTH_LISTEN: '127.0.0.1:0',
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    ...trustingEnv,
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
    ...options.env,
  }
  const settingsOf = (service: Service, more: Readonly<Record<string, string>> = {}) => {
    const all = { ...internalEnv(service), ...env, ...more }
    return loadSettings(authSettings, { env: all, systemFiles: [] }).settings
  }

  const start = async <T extends Running>(service: Promise<T>): Promise<T> => {
    const started = await service
    running.push(started)
    return started
  }
  const [auth, ...resources] = await Promise.all([
    start(startAuth({ settings: settingsOf('auth'), log })),
    ...Array.from({ length: options.resources ?? 1 }, () =>
      start(startResource({ settings: settingsOf('resource'), log })),
    ),
  ])
  const addresses = {
    SVC_AUTH_ADDRESS: `127.0.0.1:${auth.port}`,
    SVC_RESOURCE_ADDRESS: `ipv4:${resources.map(({ port }) => `127.0.0.1:${port}`)}`,
  }
  const gateways = await Promise.all(
    Array.from({ length: options.gateways ?? 1 }, () =>
      start(startGateway({ settings: settingsOf('gateway', addresses), log })),
    ),
  )
  const [url = '', ...others] = gateways.map(({ port }) => `http://127.0.0.1:${port}`)
  await Promise.all([url, ...others].map(untilReady))

  const api: Request = (method, path, body, headers) =>
    call(url, method, path, body, { authorization: `Bearer ${token}`, ...headers })
  return {
    urls: [url, ...others],
    token,
    databaseUrl: database.url,
    api,
    async closeGateways() {
      await Promise.all(gateways.map((gateway) => gateway.close()))
    },
    async createNamespacedToken(namespaceKey) {
      const created = await api('POST', '/auth/v1/method/token', {
        name: `${namespaceKey}-token`,
        namespaceKey,
      })
      return String((created.body as { clientToken: unknown }).clientToken)
    },
  }
}

/** Waits until a gateway can evaluate. */
export async function untilReady(url: string): Promise<void> {
  await waitFor(async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    await answer?.body?.cancel()
    return answer?.ok === true
  })
}
