/** How far back the server's last confirmation is. */
export class Freshness {
  readonly #staleAfterMs: number
  /** By `performance.now()`, which does not move with the clock. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  /** Whether it has been told. */
  #isStale = false

  constructor(staleAfterMs: number) {
    this.#staleAfterMs = staleAfterMs
  }

  /** Also where nothing checks, as after the end. */
  get isStale(): boolean {
    const { ageMs } = this
    return this.#isStale || (ageMs !== Infinity && ageMs >= this.#staleAfterMs)
  }

  /** In milliseconds; `Infinity` before the first confirmation. */
  get ageMs(): number {
    return performance.now() - this.#confirmedAt
  }

  /** The server has what we have. @returns whether it had been told to be stale */
  confirm(): boolean {
    this.#confirmedAt = performance.now()
    const wasStale = this.#isStale
    this.#isStale = false
    return wasStale
  }

  /** What we have is that old, and from no server. */
  begin(ageMs: number): void {
    this.#confirmedAt = performance.now() - ageMs
    this.#isStale = true
  }

  /** @returns whether it has become stale just now */
  check(): boolean {
    if (this.#isStale || !this.isStale) return false
    this.#isStale = true
    return true
  }
}
