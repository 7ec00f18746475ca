/** Failures in a row that open the circuit: a few slow answers do not. */
const failuresToOpen = 5

export interface CircuitOptions {
  readonly onChange?: (isOpen: boolean) => void
  /** How long the circuit stays open before the next attempt, in milliseconds. @default 1000 */
  readonly retryAfterMs?: number
  /** The next attempt, so that no request waits for it. Left out, a request makes it. */
  readonly probe?: () => Promise<unknown>
}

/** A circuit breaker: callers do not wait for a dependency that does not answer. */
export class Circuit {
  readonly #onChange: (isOpen: boolean) => void
  readonly #retryAfterMs: number
  readonly #probe: (() => Promise<unknown>) | undefined
  #failures = 0
  #isResting = false
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor({ onChange = () => {}, retryAfterMs = 1000, probe }: CircuitOptions) {
    this.#onChange = onChange
    this.#retryAfterMs = retryAfterMs
    this.#probe = probe
  }

  /** Never rejects: `undefined` when the work failed or the circuit is open. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (!this.#isOpen) return this.#try(work)
    if (this.#probe !== undefined || this.#isResting) return undefined
    this.#wait()
    return this.#try(work)
  }

  /** Ends the probes. */
  close(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await work()
      if (this.#isOpen) this.#onChange(false)
      this.#failures = 0
      return result
    } catch {
      const wasOpen = this.#isOpen
      this.#failures += 1
      if (this.#isOpen && !wasOpen) {
        this.#wait()
        this.#onChange(true)
      }
      return undefined
    }
  }

  #wait(): void {
    if (this.#hasEnded) return
    this.#isResting = true
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#retry(), this.#retryAfterMs).unref()
  }

  async #retry(): Promise<void> {
    this.#isResting = false
    if (this.#probe === undefined) return
    await this.#try(this.#probe)
    if (this.#isOpen) this.#wait()
  }

  get #isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }
}
