import type { Logger } from '@svc/runtime'
import type { Queryable } from './database.ts'

/** Skew above this is logged: slower readings are discarded, so it cannot be measurement error. */
const maxSkewMs = 2000

/** Maximum time of a reading: it may be wrong by half of it. A slower one is discarded. */
const maxWaitMs = 500

/** The database's clock, which all processes share: one reading of it, plus the time since then. */
export class DatabaseClock {
  readonly #log: Logger | undefined
  readonly #monotonicMs: () => number
  /** Database time minus monotonic time. Before the first reading: by this machine's clock. */
  #offsetMs: number
  /** Start of the reading that it comes from. */
  #readAt = Number.NEGATIVE_INFINITY
  #isSkewed = false

  /** @param options `log` receives a warning when this machine's clock is wrong */
  constructor(options: { readonly log?: Logger; readonly monotonicMs?: () => number } = {}) {
    const { log, monotonicMs = () => performance.now() } = options
    this.#log = log
    this.#monotonicMs = monotonicMs
    this.#offsetMs = Date.now() - monotonicMs()
  }

  /** In milliseconds since 1970. */
  nowMs(): number {
    return this.#monotonicMs() + this.#offsetMs
  }

  /**
   * Reads the database's clock, and assumes that it was read halfway through the wait. The reading that
   * began last counts. A slow one is discarded, unless it is the first.
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
    const skewMs = Math.round(Date.now() - this.nowMs())
    const isSkewed = Math.abs(skewMs) > maxSkewMs
    // Once, when it begins.
    if (isSkewed && !this.#isSkewed) {
      this.#log?.warn({ skewMs }, "this machine's clock differs from the database's")
    }
    this.#isSkewed = isSkewed
  }
}

/** @returns the database's time, in milliseconds since 1970 */
export async function readClock(db: Queryable): Promise<number> {
  const [row] = await db.query<{ nowMs: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"',
  )
  if (row === undefined) throw new Error('the database did not return its time')
  return row.nowMs
}
