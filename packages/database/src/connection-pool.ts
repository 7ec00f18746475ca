import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, unavailable } from '@svc/runtime'
import { countRefused, outsideOfRequests } from '@svc/telemetry'
import pg from 'pg'
import { connectTimeoutMs, Sockets } from './connection.ts'
import { measurePool, type PoolCounts } from './database-metrics.ts'
import { isOfReadOnlyServer, isOutdatedStatement, isUnanswered, outage } from './errors.ts'
import { HostClients } from './host-clients.ts'
import { firstReason, Hosts } from './hosts.ts'
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
  /**
   * Maximum transactions at once, those that only read apart: for those that wait for one row. Beyond it they wait without
   * a connection, so that other statements find one.
   * @default no limit but that of the connections
   */
  readonly maxWriting?: number
}

/** Connections that are kept, and made ahead: a request after a quiet time does not wait for a handshake. */
const minConnections = 2

/**
 * Connections that are made at once. To make one takes both sides longer than most statements: of many at once, as when
 * a replica gets the load of another one, none would be there in time, and those that are open are given back meanwhile.
 */
const maxConnecting = 2

/** Delay before a lost pool connects again: a server that ends each connection gets a rest. */
const refillDelayMs = 1000

/** Maximum waiting callers. One more would be served too late, and is refused at once. */
export const maxWaiting = 200

type Waiter = Omit<PromiseWithResolvers<pg.PoolClient>, 'promise'>

/** Minimum time between two renewals: a server that stays read-only, or is slow, still serves reads. */
const minRenewalMs = 1000

/**
 * The driver's pool, with a bound on the wait, on the number of waiting callers, and on the connections that are made at
 * once. The driver binds a new connection to one caller; here the first that comes, new or released, is for the longest
 * waiting.
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
  /** The generation of each connection that is open. */
  readonly #opened = new Map<pg.ClientBase, number>()
  /** Connections that the driver was asked for and has not given yet. */
  #asked = 0
  /** Why connections cannot be made, while any is asked for: several at once may not reach the same hosts. */
  #failure: unknown
  #refill: NodeJS.Timeout | undefined
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
      min: Math.min(minConnections, maxConnections),
      // Longer than callers wait: a late connection serves the next one.
      connectionTimeoutMillis: Math.max(connectTimeoutMs, acquireTimeoutMs),
      idleTimeoutMillis: 30_000,
      // After a failover, connections move to the name's new address.
      maxLifetimeSeconds: 600,
      query_timeout: queryTimeoutMs,
      // Sends a statement while the one before it runs.
      pipeline: true,
    })
    this.#pool.on('error', ({ message }, client) => {
      log.warn({ reason: message }, 'lost a connection')
      this.#forget(client)
    })
    this.#pool.on('connect', (client) => {
      // Without a listener, an error of a connection ends the process.
      client.on('error', () => {})
      this.#opened.set(client, this.#generation)
      // The driver keeps it when it has given up the caller for whom it was made.
      setImmediate(() => this.#serve())
    })
    // What has expired. It comes when the server has closed its side, which it may never do.
    this.#pool.on('remove', (client) => this.#forget(client))
    this.#fill()
    this.#endMeasuring = measurePool(name, () => this.#count())
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
    if (failed !== undefined && this.#opened.get(failed) !== this.#generation) return
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
      if (connection.isBroken) this.#discard(client)
      else client.release()
      this.#serve()
    }
  }

  async #acquire(): Promise<pg.PoolClient> {
    if (this.#waiting.size >= maxWaiting) {
      countRefused('queue')
      throw unavailable('too many requests for the database')
    }
    const { promise, ...waiter } = Promise.withResolvers<pg.PoolClient>()
    this.#waiting.add(waiter)
    this.#serve()
    const timeoutMs = this.#acquireTimeoutMs
    const giveUp = () => {
      if (!this.#waiting.delete(waiter)) return
      const { open, idle } = this.#count()
      const counts = `${open} of ${this.#pool.options.max} open, ${idle} idle`
      waiter.reject(new Error(`no connection in ${timeoutMs} ms: ${counts}`))
    }
    // After what has arrived by then: the event loop may have stood still for as long.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    try {
      return await promise
    } catch (error) {
      throw outage(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Asks the driver for what is idle, and for a few new connections, as long as callers wait. */
  #serve(): void {
    while (this.#hasMore()) void this.#ask()
  }

  #hasMore(): boolean {
    const { open, idle, connecting, waiting } = this.#count()
    // Those in its queue get the idle ones next, and it begins to connect for the others in the same turn.
    const queued = this.#pool.waitingCount
    if (idle > queued) return waiting > queued
    // It may still be making one for a caller that it has given up.
    const making = Math.max(connecting, this.#asked - idle)
    const { max = 0 } = this.#pool.options
    return waiting > this.#asked && making < maxConnecting && open + making < max
  }

  /** Gets a connection for the caller that waits longest by then. */
  async #ask(): Promise<void> {
    this.#asked += 1
    try {
      const client = await this.#connect()
      this.#failure = undefined
      const [first] = this.#waiting
      if (first === undefined) client.release()
      else {
        this.#waiting.delete(first)
        first.resolve(client)
      }
      this.#asked -= 1
      this.#serve()
    } catch (error) {
      this.#asked -= 1
      this.#noteFailure(error)
    }
  }

  /** @returns an idle one, or a new one of any host. It outlives the request that waits for it. */
  async #connect(): Promise<pg.PoolClient> {
    for (let hostsLeft = this.#hosts.count - 1; ; ) {
      try {
        const client = await outsideOfRequests(() => this.#pool.connect())
        if (this.#opened.get(client) === this.#generation) return client
        this.#discard(client)
      } catch (error) {
        this.#failure = firstReason(this.#failure, error)
        if (hostsLeft === 0 || this.#pool.ending) throw this.#failure
        hostsLeft -= 1
      }
    }
  }

  /** Those that wait fail too, unless a connection is left that may be given back, or be made. */
  #noteFailure(error: unknown): void {
    if (this.#asked === 0) this.#failure = undefined
    const isLast = this.#opened.size === 0 && this.#asked === 0
    if (isLast || this.#pool.ending) {
      for (const waiter of this.#waiting) waiter.reject(error)
      this.#waiting.clear()
    }
    this.#fillLater()
  }

  #discard(client: pg.PoolClient): void {
    this.#forget(client)
    client.release(true)
  }

  #forget(client: pg.ClientBase): void {
    this.#opened.delete(client)
    this.#fillLater()
  }

  #count(): PoolCounts {
    const { totalCount, idleCount } = this.#pool
    const open = Math.min(this.#opened.size, totalCount)
    return { open, idle: idleCount, connecting: totalCount - open, waiting: this.#waiting.size }
  }

  /** Connects ahead of the next request. */
  #fill(): void {
    if (this.#pool.ending) return
    const { max = 0 } = this.#pool.options
    const { totalCount, idleCount } = this.#pool
    const missing = Math.min(minConnections, max) - totalCount
    // Those that are idle are taken first, and given back.
    const asks = missing > 0 ? missing + idleCount : 0
    for (let i = 0; i < asks; i += 1) void this.#ask()
  }

  #fillLater(): void {
    this.#refill ??= setTimeout(() => {
      this.#refill = undefined
      this.#fill()
    }, refillDelayMs).unref()
  }
}
