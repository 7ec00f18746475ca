import { randomBytes } from 'node:crypto'
import { createTestDatabase } from '@svc/database/testing'
import { trustingEnv } from './clients.ts'
import { call, type Request } from './http.ts'
import type { Test } from './listen.ts'
import { databaseEnv } from './pooled.ts'
import type { Build } from './releases.ts'
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
  /** The one of a fleet before it, on the same database. @default a new one */
  readonly token?: string
  readonly auths?: number
  readonly resources?: number
  readonly gateways?: number
  readonly env?: Readonly<Record<string, string>>
  /** Further settings of a service. */
  readonly envOf?: Partial<Record<Service, Readonly<Record<string, string>>>>
  /** Which build of a service to start; by default of this commit. */
  readonly builds?: Partial<Record<Service, Build>>
  /** Puts something between the gateways and a replica. @returns the port to call instead of that of the replica */
  readonly relay?: (service: 'auth' | 'resource', port: number) => Promise<number>
}

export async function startFleet(t: Test, options: FleetOptions = {}): Promise<Fleet> {
  const {
    databaseUrl = (await createTestDatabase(t)).url,
    redisUrl,
    token = randomBytes(24).toString('base64url'),
    auths = 1,
    resources = 1,
    gateways = 1,
    env = {},
    envOf = {},
    builds = {},
    relay = async (_, port) => port,
  } = options
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
        startServiceProcess(t, service, { ...common, ...more, ...envOf[service] }, builds[service]),
      ),
    )
  const [authProcesses, resourceProcesses] = await Promise.all([
    start(auths, 'auth'),
    start(resources, 'resource'),
  ])
  const relayed = (service: 'auth' | 'resource', processes: readonly ServiceProcess[]) =>
    Promise.all(processes.map(async ({ port }) => ({ port: await relay(service, port) })))
  const addresses = {
    SVC_AUTH_ADDRESS: addressOf(await relayed('auth', authProcesses)),
    SVC_RESOURCE_ADDRESS: addressOf(await relayed('resource', resourceProcesses)),
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
export function addressOf(processes: readonly Pick<ServiceProcess, 'port'>[]): string {
  return `ipv4:${processes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`
}
