import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@svc/runtime'
import type pg from 'pg'
import { columnTypes } from './column-types.ts'
import { ConnectionPool } from './connection-pool.ts'
import { isOutdatedStatement } from './errors.ts'
import {
  PooledConnection,
  type QueryOptions,
  queryTimeoutMs,
  statementTimeoutMs,
} from './pooled-connection.ts'
import { Sockets } from './sockets.ts'
import { StatementNames } from './statement-names.ts'
import { runTransaction, type TransactionOptions } from './transaction.ts'

export interface Queryable {
  /**
   * Runs one statement and returns its rows.
   *
   * @throws {ConstraintViolation} when a constraint refuses the change
   * @throws {AppError} `unavailable` when the database is unreachable, full, slow or overloaded
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
   * Statements run in the order of the calls. One that does not await the last one's answer is
   * sent at once, and saves a round trip. Throws as {@link Queryable.query} does; a serialization
   * failure is `unavailable`. `work` runs again, once, when a migration has outdated a prepared
   * statement: it must not keep anything of the first time.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Waits for running statements, for at most five seconds. */
  close(): Promise<void>
}

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

/** Returns before it has connected. The first statement finds out whether the database answers. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const sockets = new Sockets()
  const { maxConnections, acquireTimeoutMs = 500 } = options
  const config = connectionConfig(url, options.name, sockets)
  const pool = new ConnectionPool(config, { maxConnections, acquireTimeoutMs })
  const names = new StatementNames()
  pool.onLost(({ message }) => options.log.warn({ reason: message }, 'lost a connection'))

  async function withConnection<T>(work: (connection: PooledConnection) => Promise<T>): Promise<T> {
    const client = await pool.acquire()
    const connection = new PooledConnection(client, names)
    try {
      return await work(connection)
    } finally {
      pool.release(client, connection.isBroken)
    }
  }

  let closing: Promise<void> | undefined
  return {
    query: (text, values, options) =>
      retryOutdated(() => withConnection((connection) => connection.query(text, values, options))),
    transaction: (work, options) =>
      retryOutdated(() =>
        withConnection((connection) => runTransaction(connection, work, options)),
      ),
    close() {
      closing ??= endPool(pool, sockets)
      return closing
    },
  }
}

/** Retries once: the statements have new names by then. */
async function retryOutdated<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    if (!isOutdatedStatement(error)) throw error
    return attempt()
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
    // After a failover, connections move to the name's new address.
    maxLifetimeSeconds: 600,
    // The server's limit comes first: after it, the connection is still usable.
    statement_timeout: statementTimeoutMs,
    query_timeout: queryTimeoutMs,
    // Writers to one namespace queue behind each other, each for milliseconds.
    lock_timeout: 1000,
    // Bounds the locks of a process that stops in the middle of a transaction.
    idle_in_transaction_session_timeout: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    // To start parallel workers takes longer than any statement here.
    options: '-c TimeZone=UTC -c max_parallel_workers_per_gather=0',
    types: columnTypes,
    stream: sockets.create,
    // Sends a statement while the one before it runs.
    pipeline: true,
  }
}
