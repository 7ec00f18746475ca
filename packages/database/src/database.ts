import { Limiter, unavailable } from '@svc/runtime'
import { countRefused } from '@svc/telemetry'
import { CommitBreaker } from './commit-breaker.ts'
import { ConnectionPool, type DatabaseOptions, maxWaiting } from './connection-pool.ts'
import type { QueryOptions, TransactionOptions } from './pooled-connection.ts'

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
   * sent at once, and saves a round trip; the last one, if `work` does not await it, goes with the
   * COMMIT, and its error is that of the transaction. Throws as {@link Queryable.query} does; a
   * serialization failure is `unavailable`. `work` runs again, once, when a migration has outdated a
   * prepared statement: it must not keep anything of the first time.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Replaces each connection when it is next used: they may lead to a server that is a standby now. */
  reconnect(): void
  /** Waits for running statements, for at most five seconds. */
  close(): Promise<void>
}

/** Maximum wait of a transaction for those before it, in milliseconds: as long as a statement may wait for a row. */
const maxWritingWaitMs = 1000

function limiterOfWrites(maxRunning: number): Limiter {
  const refuse = () => {
    countRefused('queue')
    return unavailable('too many changes wait for the database, try again')
  }
  return new Limiter({ maxRunning, maxWaiting, maxWaitMs: maxWritingWaitMs, refuse })
}

/** Returns before it has connected. The first statement finds out whether the database answers. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const pool = new ConnectionPool(url, options)
  const { maxWriting, log } = options
  const breaker = new CommitBreaker(log)
  const writes = maxWriting === undefined ? undefined : limiterOfWrites(maxWriting)
  let closing: Promise<void> | undefined
  return {
    query: (text, values, options) =>
      pool.use((connection) =>
        breaker.run(connection, () => connection.query(text, values, options), text),
      ),
    transaction(work, options) {
      if (options?.readOnly === true)
        return pool.use((connection) => connection.transaction(work, options))
      const run = () =>
        pool.use((connection) =>
          breaker.run(connection, () => connection.transaction(work, options)),
        )
      return writes === undefined ? run() : writes.run('', run)
    },
    reconnect: () => pool.renew(),
    close() {
      closing ??= pool.close()
      return closing
    },
  }
}
