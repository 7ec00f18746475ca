import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@svc/runtime'
import type pg from 'pg'
import { columnTypes } from './column-types.ts'
import { ConnectionPool } from './connection-pool.ts'
import {
  PooledConnection,
  type QueryOptions,
  queryTimeoutMs,
  statementTimeoutMs,
} from './pooled-connection.ts'
import { Sockets } from './sockets.ts'
import { runTransaction, type TransactionOptions } from './transaction.ts'

export interface Queryable {
  /**
   * Runs one statement and returns its rows.
   *
   * @throws {ConstraintViolation} when a constraint refuses the change
   * @throws {AppError} `unavailable` when the database is away, full, slow or overloaded
   */
  query<Row = unknown>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<Row[]>
}

export interface Database extends Queryable {
  /**
   * Runs `work` in a transaction, which commits when `work` returns and rolls back when it throws.
   * Its statements run in the order in which they are given; one that is given before the answer to
   * the last one has come is sent at once, and saves a round trip. Throws as {@link Queryable.query}
   * does; a serialization failure is `unavailable`, for trying again may help.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Lets the statements that run finish, for at most five seconds. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** By what name the connections are known to whoever looks after the server. */
  readonly name: string
  readonly maxConnections: number
  readonly log: Logger
  /**
   * How long to wait for a connection, in milliseconds: a request that waits longer would miss its
   * deadline anyway.
   * @default 500
   */
  readonly acquireTimeoutMs?: number
}

/** Connects meanwhile: that the database is away is known by the first statement. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const sockets = new Sockets()
  const { maxConnections, acquireTimeoutMs = 500 } = options
  const config = connectionConfig(url, options.name, sockets)
  const pool = new ConnectionPool(config, { maxConnections, acquireTimeoutMs })
  pool.onLost(({ message }) => options.log.warn({ reason: message }, 'lost a connection'))

  async function withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const client = await pool.acquire()
    const connection = new PooledConnection(client)
    try {
      return await work(connection)
    } finally {
      pool.release(client, connection.isBroken)
    }
  }

  let closing: Promise<void> | undefined
  return {
    query: (text, values, options) =>
      withConnection((connection) => connection.query(text, values, options)),
    transaction: (work, options) =>
      withConnection((connection) => runTransaction(connection, work, options)),
    close() {
      closing ??= endPool(pool, sockets)
      return closing
    },
  }
}

async function endPool(pool: ConnectionPool, sockets: Sockets): Promise<void> {
  // Twice as long as the slowest statement may take; then a second for the goodbyes.
  await Promise.race([pool.end(), sleep(5000, undefined, { ref: false })])
  await sockets.close(1000)
}

function connectionConfig(url: string, name: string, sockets: Sockets): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: name,
    idleTimeoutMillis: 30_000,
    // So that connections move on to where the name points by now, after a failover.
    maxLifetimeSeconds: 600,
    // No statement of a request is slower, and nobody waits longer for the answer. The server's
    // own limit comes first: then the connection is still good.
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    // Writers to one namespace queue up behind each other, each for milliseconds.
    lock_timeout: 1000,
    // A process that stops in the middle of a transaction must not hold its locks for long.
    idle_in_transaction_session_timeout: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    // No statement here is worth the time that it takes to start processes for parts of it.
    options: '-c TimeZone=UTC -c max_parallel_workers_per_gather=0',
    types: columnTypes,
    stream: sockets.create,
    // Statements are sent when they are given, also while the one before them runs.
    pipeline: true,
  }
}
