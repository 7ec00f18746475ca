import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { type KeptPostgres, keepPostgres, reachDatabase } from './start.database.ts'
import type { Lock } from './start.lock.ts'
import type { Output } from './start.output.ts'
import { keepSecrets } from './start.secrets.ts'
import { authSpec, choosePorts, gatewaySpec, resourceSpec } from './start.services.ts'
import { type ServiceEvents, SupervisedService } from './supervise.ts'

export interface StackOptions {
  readonly directory: string
  readonly lock: Lock
  readonly output: Output
  /** Used in place of the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  readonly host: string
  readonly httpPort: number
  /** The gateway's, without a path. */
  readonly url: string
}

/** The database and the three services, kept running until it is stopped. */
export class Stack {
  /** Rejects when something is wrong that starting it again does not put right. */
  readonly failure: Promise<never>
  /** The first token, once the auth service has told it. */
  token: string | undefined
  readonly #options: StackOptions
  readonly #services: SupervisedService[] = []
  #starting: Promise<KeptPostgres> | undefined
  #postgres: KeptPostgres | undefined
  #fail: (error: unknown) => void = () => {}
  #isEnding = false

  constructor(options: StackOptions) {
    this.#options = options
    this.failure = new Promise((_, reject) => {
      this.#fail = reject
    })
    // Whoever starts and runs it looks at it; a failure while it ends is nobody's concern.
    this.failure.catch(() => {})
  }

  /** Whether this start made the database. */
  get isNew(): boolean {
    return this.#postgres?.created ?? false
  }

  /** Resolves when the gateway answers requests, as its readiness says. */
  async start(): Promise<void> {
    await Promise.race([this.#start(), this.failure])
  }

  /** The gateway first, so that nobody is served by half of a service; all within five seconds. */
  async stop(): Promise<void> {
    this.#isEnding = true
    const [gateway, ...others] = this.#services
    await gateway?.stop(1500)
    await Promise.all(others.map((service) => service.stop(1000)))
    // If it is still starting, there is no service yet, and time to wait for it. The end of this
    // process would end it too, but a moment later.
    await Promise.race([this.#starting?.catch(() => {}), sleep(2000)])
    await this.#postgres?.stop()
  }

  /** At once. */
  kill(): void {
    this.#isEnding = true
    for (const service of this.#services) service.kill()
    this.#postgres?.kill()
  }

  async #start(): Promise<void> {
    const { directory, output, httpPort, host, url } = this.#options
    const databaseUrl = await this.#openDatabase()
    const startedAt = performance.now()
    const links = { ports: await choosePorts(), secrets: keepSecrets(directory) }
    if (this.#isEnding) throw new AppError('canceled', 'ending', 'ended before it was ready')
    const events = this.#events()
    const gateway = new SupervisedService(gatewaySpec(host, httpPort, links), events)
    const auth = new SupervisedService(authSpec(databaseUrl, links), events)
    const resource = new SupervisedService(resourceSpec(databaseUrl, links), events)
    this.#services.push(gateway, auth, resource)
    // All at once, but those first that the gateway looks for as soon as it runs.
    for (const service of [auth, resource, gateway]) service.start()
    await allReady(this.#services)
    await isAnswering(url)
    output.step('auth, resource, gateway are up', '', performance.now() - startedAt)
  }

  async #openDatabase(): Promise<string> {
    const { databaseUrl, directory, output } = this.#options
    const startedAt = performance.now()
    const took = () => performance.now() - startedAt
    if (databaseUrl !== undefined) {
      output.step('PostgreSQL is reachable', await reachDatabase(databaseUrl), took())
      return databaseUrl
    }
    const onRestart = () => output.warn('PostgreSQL ended; starting it again')
    this.#starting = keepPostgres(join(directory, 'postgres'), onRestart, this.#fail)
    this.#postgres = await this.#starting
    const { url, created, reused } = this.#postgres
    const how = created ? 'data created' : 'data kept'
    output.step('PostgreSQL is ready', reused ? 'found running' : how, took())
    return url
  }

  #events(): ServiceEvents {
    const { output, lock } = this.#options
    return {
      onStart: () => lock.noteChildren(this.#services.flatMap(({ pid }) => pid ?? [])),
      onLine: (service, line) => {
        // The latest: one that was told before by a process that died has never come to be.
        if (service === 'auth') this.token = findToken(line) ?? this.token
        output.pass(service, line)
      },
      onRestart: (service, how, delayMs) =>
        output.warn(`${service} ${how}; starting it again in ${delayMs} ms`),
      onFailure: (error) => this.#fail(error),
    }
  }
}

/** The first start on a slow machine migrates two schemas, which takes a few seconds. */
const startLimitMs = 60_000

async function allReady(services: readonly SupervisedService[]): Promise<void> {
  const timer = new AbortController()
  const all = Promise.all(services.map(({ ready }) => ready)).then(() => timer.abort())
  await Promise.race([all, sleep(startLimitMs, undefined, timer).catch(() => {})])
  const late = services.filter(({ wasReady }) => !wasReady).map(({ name }) => name)
  if (late.length > 0) throw notReady(late.join(', '))
}

async function isAnswering(url: string): Promise<void> {
  const deadline = performance.now() + startLimitMs
  while ((await statusOf(`${url}/readyz`)) !== 200) {
    if (performance.now() > deadline) throw notReady(`${url}/readyz`)
    await sleep(20)
  }
}

function notReady(what: string): AppError {
  const sentence = `Not ready after ${startLimitMs / 1000} s: ${what}. The log may say why.`
  return new AppError('failed_precondition', 'not_ready', sentence)
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: 1000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
}

function findToken(line: string): string | undefined {
  if (!line.includes('"client_token"')) return undefined
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null || !('client_token' in entry)) return undefined
    return typeof entry.client_token === 'string' ? entry.client_token : undefined
  } catch {
    return undefined
  }
}
