/** Failures in a row that open the circuit: a few slow answers do not. */
const failuresToOpen = 5

export interface CircuitOptions {
  readonly onChange?: (isOpen: boolean) => void
  /** Time between attempts while the circuit is open, in milliseconds. @default 1000 */
  readonly retryAfterMs?: number
  /**
   * Whether an error is a failure of the dependency. One that is not counts neither way.
   * @default all are
   */
  readonly isFailure?: (error: unknown) => boolean
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number
}

/**
 * A circuit breaker: callers do not wait for a dependency that does not answer. While it is open, one
 * caller in each interval makes an attempt.
 */
export class Circuit {
  readonly #options: CircuitOptions
  #failures = 0
  #retryAtMs = 0

  constructor(options: CircuitOptions = {}) {
    this.#options = options
  }

  /** Never rejects: `undefined` when the work failed or the circuit is open. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { onChange, retryAfterMs = 1000, nowMs = () => performance.now() } = this.#options
    const { isFailure = () => true } = this.#options
    const isAttempt = this.#isOpen
    if (isAttempt) {
      if (nowMs() < this.#retryAtMs) return undefined
      this.#retryAtMs = nowMs() + retryAfterMs
    }
    try {
      const result = await work()
      if (this.#isOpen) onChange?.(false)
      this.#failures = 0
      return result
    } catch (error) {
      if (!isFailure(error)) {
        // The next caller makes the attempt in its place.
        if (isAttempt) this.#retryAtMs = nowMs()
        return undefined
      }
      this.#failures += 1
      if (this.#failures === failuresToOpen) {
        this.#retryAtMs = nowMs() + retryAfterMs
        onChange?.(true)
      }
      return undefined
    }
  }

  get #isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }
}
