import { randomBytes } from 'node:crypto'
import { createTestDatabase } from '@svc/database/testing'
import { trustingEnv } from './clients.ts'
import { call, type Request } from './http.ts'
import type { Test } from './listen.ts'
import { databaseEnv } from './pooled.ts'
import { type Service, type ServiceProcess, startServiceProcess } from './service-process.ts'
import { untilReady } from './stack.ts'

/** The services as processes of their own, several replicas of each, as they run in a cluster. */
export interface Fleet {
  readonly urls: readonly [string, ...string[]]
  readonly token: string
  readonly auths: readonly ServiceProcess[]
  readonly resources: readonly ServiceProcess[]
  readonly gateways: readonly ServiceProcess[]
  /** Calls the first gateway with the token. */
  readonly api: Request
  /** Starts another gateway, with more or other settings; resolves when it is ready. */
  startGateway(env: Readonly<Record<string, string>>): Promise<ServiceProcess & { url: string }>
}

export interface FleetOptions {
  /** @default one of the test's own */
  readonly databaseUrl?: string
  readonly redisUrl?: string
  readonly auths?: number
  readonly resources?: number
  readonly gateways?: number
  readonly env?: Readonly<Record<string, string>>
  /** Further settings of a service. */
  readonly envOf?: Partial<Record<Service, Readonly<Record<string, string>>>>
}

export async function startFleet(t: Test, options: FleetOptions = {}): Promise<Fleet> {
  const {
    databaseUrl = (await createTestDatabase(t)).url,
    redisUrl,
    auths = 1,
    resources = 1,
    gateways = 1,
    env = {},
    envOf = {},
  } = options
  const token = randomBytes(24).toString('base64url')
  const common = {
    ...env,
    ...databaseEnv(databaseUrl),
    SVC_AUTH_LISTEN: '127.0.0.1:0',
    SVC_RESOURCE_LISTEN: '127.0.0.1:0',
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    ...trustingEnv,
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
    ...(redisUrl === undefined ? {} : { SVC_CACHE_REDIS_URL: redisUrl }),
  }
  const start = (count: number, service: Service, more = {}) =>
    Promise.all(
      Array.from({ length: count }, () =>
        startServiceProcess(t, service, { ...common, ...more, ...envOf[service] }),
      ),
    )
  const [authProcesses, resourceProcesses] = await Promise.all([
    start(auths, 'auth'),
    start(resources, 'resource'),
  ])
  const addresses = {
    SVC_AUTH_ADDRESS: addressOf(authProcesses),
    SVC_RESOURCE_ADDRESS: addressOf(resourceProcesses),
  }
  const gatewayProcesses = await start(gateways, 'gateway', addresses)
  const [url = '', ...others] = gatewayProcesses.map(urlOf)
  await Promise.all([url, ...others].map(untilReady))
  return {
    urls: [url, ...others],
    token,
    auths: authProcesses,
    resources: resourceProcesses,
    gateways: gatewayProcesses,
    api: (method, path, body, headers) =>
      call(url, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
    async startGateway(env) {
      const gateway = await startServiceProcess(t, 'gateway', { ...common, ...addresses, ...env })
      const url = urlOf(gateway)
      await untilReady(url)
      return Object.assign(gateway, { url })
    },
  }
}

function urlOf({ port }: ServiceProcess): string {
  return `http://127.0.0.1:${port}`
}

/** All replicas as one gRPC target. */
export function addressOf(processes: readonly ServiceProcess[]): string {
  return `ipv4:${processes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
}
