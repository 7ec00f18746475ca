import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, unavailable } from '@svc/runtime'
import pg from 'pg'
import { connectTimeoutMs, Sockets } from './connection.ts'
import { isOutdatedStatement, outage } from './errors.ts'
import {
  PooledConnection,
  queryTimeoutMs,
  StatementNames,
  statementTimeoutMs,
} from './pooled-connection.ts'

export interface DatabaseOptions {
  /** Name of the connections in the server (`application_name`). */
  readonly name: string
  readonly maxConnections: number
  readonly log: Logger
  /**
   * Maximum wait for a connection, in milliseconds: after a longer one, a request misses its
   * deadline.
   * @default 500
   */
  readonly acquireTimeoutMs?: number
}

/** Minimum idle connections: a request after a quiet time does not wait for a handshake. */
const minIdleConnections = 2

/** Delay before a lost pool connects again: a server that ends each connection gets a rest. */
const refillDelayMs = 1000

/** Maximum waiting callers. One more would be served too late, and is refused at once. */
const maxWaiting = 200

type Waiter = Omit<PromiseWithResolvers<pg.PoolClient>, 'promise'>

/**
 * Settings of a session. To start parallel workers, or to compile a plan, takes longer than any statement
 * here. What a request reads is in an index: statistics that are old, or of a few records that are far
 * larger than others, make the planner scan a table for each of a thousand records instead.
 */
const sessionOptions = [
  'TimeZone=UTC',
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'enable_seqscan=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ')

/**
 * The driver's pool, with a bound on the wait and on the number of waiting callers. The driver binds a
 * new connection to one caller; here the first that comes, new or released, is for the longest waiting.
 */
export class ConnectionPool {
  readonly #sockets = new Sockets()
  readonly #names = new StatementNames()
  readonly #pool: pg.Pool
  readonly #acquireTimeoutMs: number
  readonly #waiting = new Set<Waiter>()

  constructor(url: string, { name, maxConnections, log, acquireTimeoutMs = 500 }: DatabaseOptions) {
    this.#acquireTimeoutMs = acquireTimeoutMs
    this.#pool = new pg.Pool({
      ...this.#sockets.configFor(url),
      application_name: name,
      max: maxConnections,
      min: Math.min(minIdleConnections, maxConnections),
      // Longer than callers wait: a late connection serves the next one.
      connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
      idleTimeoutMillis: 30_000,
      // After a failover, connections move to the name's new address.
      maxLifetimeSeconds: 600,
      // The server's limit comes first: after it, the connection is still usable.
      statement_timeout: statementTimeoutMs,
      query_timeout: queryTimeoutMs,
      // Writers to one namespace queue behind each other, each for milliseconds.
      lock_timeout: 1000,
      // Bounds the locks of a process that stops in the middle of a transaction.
      idle_in_transaction_session_timeout: 5000,
      options: sessionOptions,
      // Sends a statement while the one before it runs.
      pipeline: true,
    })
    this.#pool.on('error', ({ message }) => log.warn({ reason: message }, 'lost a connection'))
    // Without a listener, an error of a connection ends the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}))
    this.#pool.on('remove', () => setTimeout(() => this.#fill(), refillDelayMs).unref())
    this.#fill()
  }

  /**
   * Runs it again, once, after an outdated statement: the statements have new names by then.
   *
   * @throws {AppError} `unavailable` without a connection in time, or when too many wait
   */
  async use<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    try {
      return await this.#useOnce(work)
    } catch (error) {
      if (!isOutdatedStatement(error)) throw error
      return this.#useOnce(work)
    }
  }

  /** Waits for the connections in use, for twice as long as the slowest statement may take. */
  async close(): Promise<void> {
    await Promise.race([this.#pool.end(), sleep(5000, undefined, { ref: false })])
    await this.#sockets.close()
  }

  async #useOnce<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const client = await this.#acquire()
    const connection = new PooledConnection(client, this.#names)
    try {
      return await work(connection)
    } finally {
      client.release(connection.isBroken)
      if (this.#waiting.size > 0 && this.#pool.idleCount > 0) this.#connect()
    }
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#waiting.size >= maxWaiting) throw unavailable('too many requests for the database')
    const { promise, ...waiter } = Promise.withResolvers<pg.PoolClient>()
    this.#waiting.add(waiter)
    this.#connect(waiter)
    const timeoutMs = this.#acquireTimeoutMs
    const timer = setTimeout(() => {
      this.#waiting.delete(waiter)
      waiter.reject(new Error(`no connection in ${timeoutMs} ms`))
    }, timeoutMs)
    try {
      return await promise
    } catch (error) {
      throw outage(error)
    } finally {
      clearTimeout(timer)
    }
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
