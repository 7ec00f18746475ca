import type { Logger } from '@svc/runtime'
import type { Queryable } from './database.ts'

/** What differs more cannot come from the wait for an answer that is believed. */
const maxSkewMs = 2000

/** An answer that took longer may be wrong by half of that: until a better one, the clock goes on. */
const maxWaitMs = 500

export interface DatabaseClockOptions {
  /** Told when this machine's clock is wrong. */
  readonly log?: Logger
  readonly monotonicMs?: () => number
}

/**
 * The time by the database's clock, which all processes share, however their own clocks are set:
 * one reading of it plus the time that has passed here since.
 */
export class DatabaseClock {
  readonly #log: Logger | undefined
  readonly #monotonicMs: () => number
  /** To be added to the monotonic time. Until the first reading, this machine's clock has to do. */
  #offsetMs: number
  /** When the reading began that it comes from. */
  #readAt = Number.NEGATIVE_INFINITY
  #isSkewed = false

  constructor({ log, monotonicMs = () => performance.now() }: DatabaseClockOptions = {}) {
    this.#log = log
    this.#monotonicMs = monotonicMs
    this.#offsetMs = Date.now() - monotonicMs()
  }

  /** In milliseconds since 1970. */
  nowMs(): number {
    return this.#monotonicMs() + this.#offsetMs
  }

  /**
   * Reads the database's clock, taking it that the answer was made halfway through the wait. Of several
   * readings the one that began last counts, and none that took long, but for the first.
   *
   * @param read asks the database for its time, as {@link readClock} does
   */
  async synchronize(read: () => Promise<number>): Promise<void> {
    const askedAt = this.#monotonicMs()
    const databaseMs = await read()
    const answeredAt = this.#monotonicMs()
    const isFirst = this.#readAt === Number.NEGATIVE_INFINITY
    if (askedAt < this.#readAt || (!isFirst && answeredAt - askedAt > maxWaitMs)) return
    this.#readAt = askedAt
    this.#offsetMs = databaseMs - (askedAt + answeredAt) / 2
    this.#checkSkew()
  }

  /** Says so once when it begins. */
  #checkSkew(): void {
    const skewMs = Math.round(Date.now() - this.nowMs())
    const isSkewed = Math.abs(skewMs) > maxSkewMs
    if (isSkewed && !this.#isSkewed) {
      this.#log?.warn({ skewMs }, "this machine's clock differs from the database's")
    }
    this.#isSkewed = isSkewed
  }
}

/** By the clock of the database, in milliseconds since 1970. */
export async function readClock(db: Queryable): Promise<number> {
  const [row] = await db.query<{ nowMs: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"',
  )
  if (row === undefined) throw new Error('the database does not tell the time')
  return row.nowMs
}
