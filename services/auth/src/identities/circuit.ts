/** So that a few slow answers in a row are taken as one failure and not as many. */
const failuresToOpen = 5

/** Spares callers the wait for something that does not answer. */
export class Circuit {
  readonly #onChange: (isOpen: boolean) => void
  readonly #retryAfterMs: number
  #failures = 0
  #retryAt = 0

  /**
   * @param retryAfterMs how soon something that was given up is tried again: by one request, the
   *   others go on
   */
  constructor(onChange: (isOpen: boolean) => void, retryAfterMs = 1000) {
    this.#onChange = onChange
    this.#retryAfterMs = retryAfterMs
  }

  /** Never rejects: `undefined` when the work failed or was not tried. */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#isOpen) {
      if (performance.now() < this.#retryAt) return undefined
      this.#retryAt = performance.now() + this.#retryAfterMs
    }
    try {
      const result = await work()
      if (this.#isOpen) this.#onChange(false)
      this.#failures = 0
      return result
    } catch {
      const wasOpen = this.#isOpen
      this.#failures += 1
      if (this.#isOpen && !wasOpen) {
        this.#retryAt = performance.now() + this.#retryAfterMs
        this.#onChange(true)
      }
      return undefined
    }
  }

  get #isOpen(): boolean {
    return this.#failures >= failuresToOpen
  }
}
