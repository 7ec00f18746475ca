import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import type { LocalPostgres } from './postgres.ts'
import { postgresPart, reachDatabase } from './start.database.ts'
import type { Output } from './start.output.ts'
import { keepSecrets } from './start.secrets.ts'
import { services } from './start.services.ts'
import { type Part, type Supervised, supervise } from './supervisor.ts'

export interface StackOptions {
  readonly directory: string
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
  /** The first token, if this start made it. */
  token: string | undefined
  /** Whether this start made the database. */
  isNew = false
  readonly #options: StackOptions
  readonly #fail: (error: unknown) => void
  readonly #parts: Supervised[] = []
  #isEnding = false

  constructor(options: StackOptions) {
    this.#options = options
    const { promise, reject } = Promise.withResolvers<never>()
    this.failure = promise
    this.#fail = reject
    // A failure while it ends is without consequence.
    this.failure.catch(() => {})
  }

  /** Resolves when the gateway answers requests, as its readiness says. */
  async start(): Promise<void> {
    await Promise.race([this.#start(), this.failure])
  }

  /** The gateway first, so that no request meets half of a service; all within five seconds. */
  async stop(): Promise<void> {
    this.#isEnding = true
    for (const names of [['gateway'], ['auth', 'resource'], ['PostgreSQL']]) {
      const parts = this.#parts.filter(({ name }) => names.includes(name))
      await Promise.all(parts.map((part) => part.stop()))
    }
  }

  async #start(): Promise<void> {
    const { directory, output, host, httpPort, url } = this.#options
    const databaseUrl = await this.#openDatabase()
    const startedAt = performance.now()
    const secrets = keepSecrets(directory)
    const parts = await services({
      ...{ databaseUrl, secrets, host, httpPort },
      onLine: output.pass,
      onToken: (token) => {
        this.token = token
      },
    })
    // All at once. The gateway looks for the others as soon as it runs.
    const running = [parts.auth, parts.resource, parts.gateway].map((part) => this.#supervise(part))
    const late = new Set(running.map(({ name }) => name))
    const limit = setTimeout(() => this.#fail(notReady([...late].join(', ') || url)), startLimitMs)
    await Promise.all(running.map(({ name, ready }) => ready.then(() => late.delete(name))))
    while (!this.#isEnding && !(await isAnswering(url))) await sleep(20)
    clearTimeout(limit)
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
    const { promise, resolve } = Promise.withResolvers<LocalPostgres>()
    this.#supervise(postgresPart(join(directory, 'postgres'), resolve))
    const { url, created } = await promise
    this.isNew = created
    output.step('PostgreSQL is ready', created ? 'data created' : 'data kept', took())
    return url
  }

  #supervise(part: Part): Supervised {
    if (this.#isEnding) throw new AppError('canceled', 'ending', 'ended before it was ready')
    const supervised = supervise(part, { warn: this.#options.output.warn, fail: this.#fail })
    this.#parts.push(supervised)
    return supervised
  }
}

/** The first start on a slow machine migrates two schemas, which takes a few seconds. */
const startLimitMs = 60_000

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function notReady(what: string): AppError {
  const sentence = `Not ready after ${startLimitMs / 1000} s: ${what}. The log may say why.`
  return new AppError('failed_precondition', 'not_ready', sentence)
}
