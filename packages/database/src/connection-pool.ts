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

interface Waiter {
  resolve(client: pg.PoolClient): void
  reject(error: unknown): void
}

/**
 * The driver's pool, with a bound on the wait and on the number of waiting callers. The driver binds a
 * new connection to one caller; here the first that comes, new or released, is for the longest waiting.
 */
export class ConnectionPool {
  readonly #pool: pg.Pool
  readonly #acquireTimeoutMs: number
  readonly #waiting = new Set<Waiter>()

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
    if (this.#waiting.size >= maxWaiting) throw unavailable('too many requests for the database')
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>()
    const waiter = { resolve, reject }
    this.#waiting.add(waiter)
    this.#connect(waiter)
    const timeoutMs = this.#acquireTimeoutMs
    const timer = setTimeout(() => {
      this.#waiting.delete(waiter)
      reject(new Error(`no connection in ${timeoutMs} ms`))
    }, timeoutMs)
    try {
      return await promise
    } catch (error) {
      throw outage(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Gives a connection back, or drops it. */
  release(client: pg.PoolClient, isBroken: boolean): void {
    client.release(isBroken)
    if (this.#waiting.size > 0 && this.#pool.idleCount > 0) this.#connect()
  }

  /** Waits for the connections in use. */
  end(): Promise<void> {
    return this.#pool.end()
  }

  /** @param waiter fails with the connection, unless another one came first */
  #connect(waiter?: Waiter): void {
    this.#pool.connect().then(
      (client) => {
        const [first] = this.#waiting
        if (first === undefined) return client.release()
        this.#waiting.delete(first)
        first.resolve(client)
      },
      (error: unknown) => {
        const [first] = this.#waiting
        if (waiter !== undefined && this.#waiting.delete(waiter)) waiter.reject(error)
        else if (first !== undefined) this.#connect(first)
      },
    )
  }

  /** Connects ahead of the next request. */
  #fill(): void {
    if (this.#pool.totalCount === 0 && !this.#pool.ending) this.#connect()
  }
}
