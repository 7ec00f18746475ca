import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, unavailable } from '@svc/runtime'
import { countRefused, outsideOfRequests } from '@svc/telemetry'
import pg from 'pg'
import { connectTimeoutMs, Sockets } from './connection.ts'
import { measurePool } from './database-metrics.ts'
import { isOfReadOnlyServer, isOutdatedStatement, isUnanswered, outage } from './errors.ts'
import { HostClients } from './host-clients.ts'
import { Hosts } from './hosts.ts'
import { PooledConnection, queryTimeoutMs, StatementNames } from './pooled-connection.ts'

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

/** Minimum time between two renewals: a server that stays read-only, or is slow, still serves reads. */
const minRenewalMs = 1000

/** Whether all connections stayed in use, which says nothing about the server. It is the driver's own words. */
function isOfBusyPool(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect'
}

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
  readonly #hosts: Hosts
  readonly #clients: HostClients
  readonly #log: Logger
  /** Goes up when the connections so far are given up. */
  #generation = 0
  readonly #generationOf = new WeakMap<pg.ClientBase, number>()
  #renewedAt = Number.NEGATIVE_INFINITY
  readonly #endMeasuring: () => void

  constructor(url: string, { name, maxConnections, log, acquireTimeoutMs = 500 }: DatabaseOptions) {
    this.#acquireTimeoutMs = acquireTimeoutMs
    this.#log = log
    this.#hosts = new Hosts(url)
    this.#clients = new HostClients(this.#hosts, (one) => this.#sockets.configFor(one))
    this.#pool = new pg.Pool({
      Client: this.#clients.Client,
      onConnect: (client) => this.#clients.expectPrimary(client),
      application_name: name,
      max: maxConnections,
      min: Math.min(minIdleConnections, maxConnections),
      // Longer than callers wait: a late connection serves the next one.
      connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
      idleTimeoutMillis: 30_000,
      // After a failover, connections move to the name's new address.
      maxLifetimeSeconds: 600,
      query_timeout: queryTimeoutMs,
      // Sends a statement while the one before it runs.
      pipeline: true,
    })
    this.#pool.on('error', ({ message }) => log.warn({ reason: message }, 'lost a connection'))
    this.#pool.on('connect', (client) => {
      // Without a listener, an error of a connection ends the process.
      client.on('error', () => {})
      this.#generationOf.set(client, this.#generation)
    })
    this.#pool.on('remove', () => setTimeout(() => this.#fill(), refillDelayMs).unref())
    this.#fill()
    this.#endMeasuring = measurePool(name, this.#pool, () => this.#waiting.size)
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

  /**
   * Gives up all connections so far: each is replaced when it is next used. Does nothing within a second of the
   * last time.
   *
   * @param failed only if it is one of these. Its host is left.
   */
  renew(failed?: pg.ClientBase): void {
    // It may be left over from before: the connections since then go to another server.
    if (failed !== undefined && this.#generationOf.get(failed) !== this.#generation) return
    const now = performance.now()
    if (now - this.#renewedAt < minRenewalMs) return
    this.#renewedAt = now
    this.#generation += 1
    if (failed !== undefined) this.#clients.leave(failed)
    this.#log.debug('the server takes no writes, or does not answer: connecting anew')
  }

  /** Waits for the connections in use, for twice as long as the slowest statement may take. */
  async close(): Promise<void> {
    this.#endMeasuring()
    await Promise.race([this.#pool.end(), sleep(5000, undefined, { ref: false })])
    await this.#sockets.close()
  }

  async #useOnce<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const client = await this.#acquire()
    const connection = new PooledConnection(client, this.#names)
    try {
      return await work(connection)
    } catch (error) {
      // After a failover: its other connections lead to a standby now, or nowhere.
      if (isOfReadOnlyServer(error) || isUnanswered(error)) this.renew(client)
      throw error
    } finally {
      client.release(connection.isBroken)
      if (this.#waiting.size > 0 && this.#pool.idleCount > 0) this.#connect()
    }
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#waiting.size >= maxWaiting) {
      countRefused('queue')
      throw unavailable('too many requests for the database')
    }
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

  /**
   * @param waiter fails with the connection, unless another one came first
   * @param hostsLeft further hosts that are tried when this one fails
   */
  #connect(waiter?: Waiter, hostsLeft = this.#hosts.count - 1): void {
    // It throws at once where a file of the URL cannot be read.
    const connecting = async () => this.#pool.connect()
    // A new connection outlives the request that waits for it.
    outsideOfRequests(connecting).then(
      (client) => {
        if (this.#generationOf.get(client) !== this.#generation) {
          client.release(true)
          return this.#connect(waiter)
        }
        const [first] = this.#waiting
        if (first === undefined) return client.release()
        this.#waiting.delete(first)
        first.resolve(client)
      },
      (error: unknown) => {
        const mayRetry = hostsLeft > 0 && !isOfBusyPool(error) && !this.#pool.ending
        if (mayRetry) return this.#connect(waiter, hostsLeft - 1)
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
