import type { Logger } from '@svc/runtime'
import type { Queryable } from './database.ts'

/** What differs more cannot come from the wait for the answer. */
const maxSkewMs = 2000

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
   * Reads the database's clock, taking it that the answer was made halfway through the wait.
   *
   * @param read asks the database for its time, as {@link readClock} does
   */
  async synchronize(read: () => Promise<number>): Promise<void> {
    const askedAt = this.#monotonicMs()
    const databaseMs = await read()
    this.#offsetMs = databaseMs - (askedAt + this.#monotonicMs()) / 2
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
  return row?.nowMs ?? Number.NaN
}
