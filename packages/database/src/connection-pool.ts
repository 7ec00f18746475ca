import { unavailable } from '@svc/runtime'
import pg from 'pg'
import { outage } from './errors.ts'

export interface ConnectionPoolOptions {
  readonly maxConnections: number
  /** How long a caller waits for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number
}

interface Caller {
  take(client: pg.PoolClient): void
  fail(error: unknown): void
}

/**
 * Gives whoever has waited longest the first connection that there is: an idle one, one that is
 * given back, or a new one. The driver's pool gives a new one to none but the caller for whom it was
 * begun, and drops it when that one has waited for long enough. On a machine so busy that to connect
 * takes longer than that, nobody would ever be connected.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #options: ConnectionPoolOptions
  readonly #waiting = new Set<Caller>()
  /** How many connections are on their way, idle ones too. */
  #coming = 0

  constructor(config: pg.PoolConfig, options: ConnectionPoolOptions) {
    this.#options = options
    const { maxConnections, acquireTimeoutMs } = options
    this.#pool = new pg.Pool({
      ...config,
      max: maxConnections,
      min: Math.min(spareConnections, maxConnections),
      connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
    })
    // A connection may break at any time, also one that nobody uses, and unheard that ends the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#pool.on('remove', () => setTimeout(() => this.#fill(), refillAfterMs).unref())
    this.#fill()
  }

  /** @param listener hears why, when a connection breaks that nobody uses */
  onLost(listener: (error: Error) => void): void {
    this.#pool.on('error', listener)
  }

  /** @throws {AppError} `unavailable` when there is none in time, or others wait already */
  async acquire(): Promise<pg.PoolClient> {
    if (this.#waiting.size >= maxWaiting) throw unavailable('too many requests for the database')
    const { promise, resolve: take, reject } = Promise.withResolvers<pg.PoolClient>()
    const caller = { take, fail: (error: unknown) => reject(outage(error)) }
    this.#waiting.add(caller)
    this.#fetchForWaiting()
    const { acquireTimeoutMs } = this.#options
    const timer = setTimeout(() => {
      this.#waiting.delete(caller)
      caller.fail(new Error(`no connection within ${acquireTimeoutMs} ms`))
    }, acquireTimeoutMs)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** Gives a connection back, or drops it. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    client.release(isBroken)
    // Those who wait do so for new connections: this one is here.
    if (this.#waiting.size > 0 && this.#pool.idleCount > 0) this.#fetch()
  }

  /** Lets those who have a connection give it back. */
  end(): Promise<void> {
    return this.#pool.end()
  }

  #fetchForWaiting(): void {
    const [first] = this.#waiting
    if (this.#coming < this.#waiting.size) this.#fetch(first)
  }

  /** @param caller fails if it still waits when this does */
  #fetch(caller?: Caller): void {
    this.#coming += 1
    this.#pool.connect().then(
      (client) => {
        this.#coming -= 1
        const [first] = this.#waiting
        if (first === undefined) return client.release()
        this.#waiting.delete(first)
        first.take(client)
      },
      (error: unknown) => {
        this.#coming -= 1
        if (caller !== undefined && this.#waiting.delete(caller)) caller.fail(error)
        this.#fetchForWaiting()
      },
    )
  }

  /** So that the next request need not wait for one. */
  #fill(): void {
    if (this.#pool.totalCount === 0 && !this.#pool.ending) this.#fetch()
  }
}

/** As many are kept once they are there, however long nobody needs them. */
const spareConnections = 2

/** A server that ends connections as soon as they are made is not asked for the next without a rest. */
const refillAfterMs = 1000

/** A connection that nobody waits for any more is still of use to the next. */
const connectTimeoutMs = 1500

/** Beyond these, callers are turned away at once: their turn would come too late. */
const maxWaiting = 200
