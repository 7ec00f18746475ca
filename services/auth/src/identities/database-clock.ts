/**
 * The time by the database's clock, which all processes share, however their own clocks are set:
 * one reading of it plus the time that has passed here since.
 */
export class DatabaseClock {
  readonly #monotonicMs: () => number
  /** To be added to the monotonic time. Until the first reading, this machine's clock has to do. */
  #offsetMs: number

  constructor(monotonicMs: () => number = () => performance.now()) {
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
   * @param read asks the database for its time, in milliseconds since 1970
   */
  async synchronize(read: () => Promise<number>): Promise<void> {
    const askedAt = this.#monotonicMs()
    const databaseMs = await read()
    this.#offsetMs = databaseMs - (askedAt + this.#monotonicMs()) / 2
  }
}
