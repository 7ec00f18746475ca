import type { PoolClient, QueryConfig } from 'pg'
import { breaksConnection, translateError } from './errors.ts'

/** What a statement may take in the server, in milliseconds. */
export const statementTimeoutMs = 2000

/** When the driver gives up on an answer. Later than the server, after which the connection is good. */
export const queryTimeoutMs = 2500

export interface QueryOptions {
  /**
   * How long the statement may wait for locks, in milliseconds, on top of the time that it may take:
   * for one in a transaction that queues up behind other processes. {@link isLockTimeout} knows the
   * error of one that waited in vain.
   * @default 1000
   */
  readonly lockTimeoutMs?: number
}

/** A connection borrowed from the pool, which remembers whether it may go back there. */
export class PooledConnection {
  readonly #client: PoolClient
  isBroken = false

  constructor(client: PoolClient) {
    this.#client = client
  }

  async query<Row>(
    text: string,
    values: readonly unknown[] = [],
    { lockTimeoutMs }: QueryOptions = {},
  ): Promise<Row[]> {
    if (lockTimeoutMs === undefined) return (await this.#run(text, values)).rows
    return this.#queryWithLockTimeout(text, values, Math.ceil(lockTimeoutMs))
  }

  /** @returns the command that the server says it has completed, such as `COMMIT` */
  async execute(text: string): Promise<string> {
    const { command } = await this.#run(text, [])
    return command
  }

  /** All are sent at once and take one round trip. The limits of the transaction are as before after it. */
  async #queryWithLockTimeout<Row>(
    text: string,
    values: readonly unknown[],
    lockTimeoutMs: number,
  ): Promise<Row[]> {
    const waitMs = queryTimeoutMs + lockTimeoutMs
    const set = (timeouts: readonly (string | null)[]) => this.#run(setTimeouts, timeouts, waitMs)
    const [, { rows }] = await Promise.all([
      set([`${lockTimeoutMs}`, `${statementTimeoutMs + lockTimeoutMs}`]),
      this.#run(text, values, waitMs),
      set([null, null]),
    ])
    return rows
  }

  async #run(text: string, values: readonly unknown[], timeoutMs = queryTimeoutMs) {
    // Known to the driver, and missing in its types.
    const query: QueryConfig & { readonly query_timeout: number } = {
      text,
      values: [...values],
      query_timeout: timeoutMs,
    }
    try {
      return await this.#client.query(query)
    } catch (error) {
      if (breaksConnection(error)) this.isBroken = true
      throw translateError(error)
    }
  }
}

/** Until the transaction ends; NULL is what the connection began with. */
const setTimeouts = `SELECT set_config('lock_timeout', $1, true),
                            set_config('statement_timeout', $2, true)`
