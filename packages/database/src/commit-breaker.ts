import { type Logger, unavailable } from '@svc/runtime'
import { isUnanswered } from './errors.ts'
import type { PooledConnection } from './pooled-connection.ts'

/** Minimum time between two looks, in milliseconds: how soon writes are back. */
const lookIntervalMs = 1000

/** Statements that change rows, or lock them: both have a commit to wait for. */
const writes = /\b(?:INSERT|UPDATE|DELETE)\b/

/**
 * Commits that have waited for a standby for about as long as a client waits. While there is one, a commit
 * waits for milliseconds.
 */
const findStuck = `SELECT EXISTS (
  SELECT FROM pg_stat_activity
   WHERE wait_event = 'SyncRep' AND query_start < clock_timestamp() - interval '2 s') AS "isStuck"`

/**
 * A circuit breaker of writes. A server that has lost its synchronous standby keeps the session of each commit, also
 * when the client has given up: more of them would take all connections, those of reads included. Whether it has one
 * again shows in the sessions it keeps; another commit, to try, would be one more of them.
 */
export class CommitBreaker {
  readonly #log: Logger
  /** Whether a write got no answer since the last look that found none stuck. */
  #isSuspected = false
  #isOpen = false
  #look: Promise<boolean> | undefined
  #lookedAt = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /**
   * @param text of a single statement; one that only reads always runs
   * @throws {AppError} `unavailable` while the server does not confirm commits
   */
  async run<T>(connection: PooledConnection, work: () => Promise<T>, text?: string): Promise<T> {
    const isWrite = () => text === undefined || writes.test(text)
    if (this.#isSuspected && isWrite() && (await this.#isStuck(connection))) {
      throw unavailable('the database does not confirm changes: it has no synchronous standby')
    }
    try {
      return await work()
    } catch (error) {
      if (isUnanswered(error) && isWrite()) this.#isSuspected = true
      throw error
    }
  }

  #isStuck(connection: PooledConnection): Promise<boolean> {
    const now = performance.now()
    if (this.#look === undefined || now - this.#lookedAt > lookIntervalMs) {
      this.#lookedAt = now
      this.#look = this.#lookNow(connection)
    }
    return this.#look
  }

  async #lookNow(connection: PooledConnection): Promise<boolean> {
    try {
      const [row] = await connection.query<{ isStuck: boolean }>(findStuck)
      const isStuck = row?.isStuck === true
      if (isStuck && !this.#isOpen) this.#log.warn('commits wait for a standby: writes are refused')
      if (!isStuck && this.#isOpen) this.#log.info('the database confirms commits again')
      this.#isOpen = isStuck
      this.#isSuspected = isStuck
      return isStuck
    } catch (error) {
      this.#look = undefined
      throw error
    }
  }
}
