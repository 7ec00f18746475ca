import { unavailable } from '@svc/runtime'
import pg from 'pg'
import { outage } from './errors.ts'

export interface ConnectionPoolOptions {
  readonly maxConnections: number
  /** Maximum wait for a connection, in milliseconds. */
  readonly acquireTimeoutMs: number
}

/** Minimum idle connections: a request after a quiet time does not wait for a handshake. */
const minIdleConnections = 2

/** Delay before a lost pool connects again: a server that ends each connection gets a rest. */
const refillDelayMs = 1000

/** Maximum time to connect. It is longer than callers wait: a late connection serves the next one. */
const connectTimeoutMs = 1500

/** Maximum waiting callers. One more would be served too late, and is refused at once. */
const maxWaiting = 200

/** The driver's pool, with a bound on the wait and on the number of those who wait. */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #acquireTimeoutMs: number
  #waiting = 0

  constructor(config: pg.PoolConfig, { maxConnections, acquireTimeoutMs }: ConnectionPoolOptions) {
    this.#acquireTimeoutMs = acquireTimeoutMs
    this.#pool = new pg.Pool({
      ...config,
      max: maxConnections,
      min: Math.min(minIdleConnections, maxConnections),
      connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
    })
    // Without a listener, an error of a connection ends the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#pool.on('remove', () => setTimeout(() => this.#fill(), refillDelayMs).unref())
    this.#fill()
  }

  /** @param listener receives the error of an idle connection that broke */
  onLost(listener: (error: Error) => void): void {
    this.#pool.on('error', listener)
  }

  /** @throws {AppError} `unavailable` without a connection in time, or when too many wait */
  async acquire(): Promise<pg.PoolClient> {
    if (this.#waiting >= maxWaiting) throw unavailable('too many requests for the database')
    this.#waiting += 1
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timeoutMs = this.#acquireTimeoutMs
    const timer = setTimeout(() => reject(new Error(`no connection in ${timeoutMs} ms`)), timeoutMs)
    const connecting = this.#pool.connect()
    try {
      return await Promise.race([connecting, timeout])
    } catch (error) {
      releaseWhenConnected(connecting)
      throw outage(error)
    } finally {
      clearTimeout(timer)
      this.#waiting -= 1
    }
  }

  /** Gives a connection back, or drops it. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    client.release(isBroken)
  }

  /** Waits for the connections in use. */
  end(): Promise<void> {
    return this.#pool.end()
  }

  /** Connects ahead of the next request. */
  #fill(): void {
    if (this.#pool.totalCount === 0 && !this.#pool.ending)
      releaseWhenConnected(this.#pool.connect())
  }
}

function releaseWhenConnected(connecting: Promise<pg.PoolClient>): void {
  connecting.then(
    (client) => client.release(),
    () => {},
  )
}
