import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from './postgres.ts'
import type { Child } from './processes.ts'
import { reachDatabase } from './start.database.ts'
import { startError } from './start.errors.ts'
import type { Output } from './start.output.ts'
import { services } from './start.services.ts'
import { type Part, supervise } from './supervisor.ts'

export interface StackOptions {
  readonly directory: string
  readonly output: Output
  /** Used in place of the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined
  readonly host: string
  readonly httpPort: number
  readonly metricsPort: number
  readonly seedPath?: string | undefined
  /** The gateway's, without a path. */
  readonly url: string
}

/** The database and the three services, kept running until it is stopped. */
export function createStack(options: StackOptions) {
  const { directory, output, url } = options
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  // A failure while it ends is without consequence.
  failure.catch(() => {})
  const parts: { stop(): Promise<void> }[] = []
  let isEnding = false

  function keepRunning<T extends Child>(part: Part<T>): Promise<T> {
    if (isEnding) throw startError('ended before it was ready')
    const { ready, stop } = supervise(part, output.warn, fail)
    parts.push({ stop })
    return ready
  }

  async function openDatabase(): Promise<string> {
    if (options.databaseUrl !== undefined) {
      await reachDatabase(options.databaseUrl)
      return options.databaseUrl
    }
    const startedAt = performance.now()
    const { url, created } = await keepRunning(postgresPart(join(directory, 'postgres')))
    const details = created ? 'data created' : 'data kept'
    output.step('PostgreSQL is ready', details, performance.now() - startedAt)
    return url
  }

  return {
    /** Rejects when something is wrong that starting it again does not put right. */
    failure,
    /**
     * Resolves when the gateway answers requests, as its readiness says.
     *
     * @returns the first token, if this start made it
     */
    async start(): Promise<string | undefined> {
      const databaseUrl = await openDatabase()
      const startedAt = performance.now()
      const limit = setTimeout(() => fail(notReady), startLimitMs)
      let token: string | undefined
      const onToken = (made: string) => {
        token = made
      }
      const all = await services({ ...options, databaseUrl, onLine: output.pass, onToken })
      // All at once. The gateway looks for the others as soon as it runs.
      await Promise.all(all.map(keepRunning))
      while (!isEnding && !(await isAnswering(url))) await sleep(20)
      clearTimeout(limit)
      output.step('auth, resource, gateway are up', '', performance.now() - startedAt)
      return token
    },
    async stop(): Promise<void> {
      isEnding = true
      // The gateway first, so that no request meets half of a service.
      for (const part of parts.toReversed()) await part.stop()
    },
  }
}

/** The embedded PostgreSQL. It keeps its port when it is started again. */
function postgresPart(directory: string) {
  let port: number | undefined
  return {
    name: 'PostgreSQL',
    async start(signal: AbortSignal) {
      if (port !== undefined && !existsSync(directory)) {
        throw startError(`${directory} was removed while the service ran.`)
      }
      const postgres = await startPostgres({ directory, port, signal })
      port = postgres.port
      return postgres
    },
  }
}

/** The first start on a slow machine migrates two schemas, which takes a few seconds. */
const startLimitMs = 60_000

const notReady = startError(`Not ready after ${startLimitMs / 1000} s. The log may say why.`)

async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
