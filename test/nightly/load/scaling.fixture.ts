import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type CallCounter, startCallCounter } from '../../support/call-counter.ts'
import { trustingEnv } from '../../support/clients.ts'
import type { Test } from '../../support/listen.ts'
import { lookingUpAt, startNameServer } from '../../support/name-server.ts'
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts'
import { untilReady } from '../../support/stack.ts'

export type Scaled = 'auth' | 'resource'

export interface Replica {
  readonly address: string
  readonly process: ServiceProcess
  /** How many calls each gateway has made to it. */
  readonly calls: readonly CallCounter[]
}

export interface Fixture {
  readonly token: string
  readonly urls: readonly string[]
  readonly replicas: Readonly<Record<Scaled, readonly Replica[]>>
  /** Starts so many more of each service, which then have a place in its name. */
  grow(count: number): Promise<void>
  /**
   * Ends the oldest of each service.
   *
   * @param isListed whether they keep their place in the name until they have ended
   */
  shrink(count: number, isListed: boolean): Promise<void>
}

const services = ['auth', 'resource'] as const
const gatewayCount = 2

/** As it is by default. */
const drain = '5s'

/**
 * Two gateways that find auth and resource by name. Each replica has an address of its own, as in a
 * cluster; each gateway has a port of its own there, by which its calls are distinguished.
 */
export async function startFixture(t: Test, databaseUrl: string): Promise<Fixture> {
  const nameServer = await startNameServer(t)
  const token = randomBytes(24).toString('base64url')
  const common = {
    SVC_DB_URL: databaseUrl,
    SVC_SERVER_HOST: '127.0.0.1',
    SVC_SERVER_HTTP_PORT: '0',
    SVC_SERVER_DRAIN: drain,
    SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: token,
    ...trustingEnv,
  }
  const freePorts = (count: number) => Promise.all(Array.from({ length: count }, freePort))
  const ports = {
    own: { auth: await freePort(), resource: await freePort() },
    ofGateways: { auth: await freePorts(gatewayCount), resource: await freePorts(gatewayCount) },
  }
  const replicas: Record<Scaled, Replica[]> = { auth: [], resource: [] }
  const listed: Record<Scaled, readonly string[]> = { auth: [], resource: [] }
  const list = (service: Scaled, addresses: readonly string[]) => {
    listed[service] = addresses
    nameServer.set(`${service}.test`, addresses)
  }
  let started = 0

  const start = async (service: Scaled) => {
    started += 1
    const address = `127.0.1.${started}`
    const port = ports.own[service]
    const process = await startServiceProcess(t, service, {
      ...common,
      [`SVC_${service.toUpperCase()}_LISTEN`]: `${address}:${port}`,
    })
    const calls = await Promise.all(
      ports.ofGateways[service].map((near) =>
        startCallCounter(t, { host: address, port: near }, { host: address, port }),
      ),
    )
    replicas[service].push({ address, process, calls })
    list(service, [...listed[service], address])
  }
  const end = async (service: Scaled, { address, process }: Replica, isListed: boolean) => {
    const ended = process.kill('SIGTERM')
    const leave = () =>
      list(
        service,
        listed[service].filter((one) => one !== address),
      )
    if (!isListed) leave()
    await ended
    leave()
  }
  const grow = async (count: number) => {
    // One after the other: a start takes a whole processor.
    for (let i = 0; i < count; i += 1) for (const service of services) await start(service)
  }
  await grow(2)
  const gateways = await Promise.all(
    Array.from({ length: gatewayCount }, (_, i) =>
      startServiceProcess(t, 'gateway', {
        ...common,
        NODE_OPTIONS: lookingUpAt(nameServer),
        SVC_AUTH_ADDRESS: `dns:///auth.test:${ports.ofGateways.auth[i]}`,
        SVC_RESOURCE_ADDRESS: `resource.test:${ports.ofGateways.resource[i]}`,
      }),
    ),
  )
  const urls = gateways.map(({ port }) => `http://127.0.0.1:${port}`)
  await Promise.all(urls.map(untilReady))
  return {
    token,
    urls,
    replicas,
    grow,
    async shrink(count, isListed) {
      await Promise.all(
        services.flatMap((service) =>
          replicas[service].splice(0, count).map((replica) => end(service, replica, isListed)),
        ),
      )
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
