/** The longest that a client is asked to wait, in seconds. */
export const maxRetryAfter = 10

/** Time over which requests are counted, in milliseconds. */
const windowMs = 1000

export interface RetryAfterOptions {
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
  /** At least 0, and less than 1. */
  readonly random?: () => number
}

/**
 * How long a refused client is asked to wait: as many seconds as there are requests to each that is served. So the more
 * there are, the fewer come back in a second, and refusing takes little of the processor. Spread by half, as those that
 * are refused together would come back together.
 */
export class RetryAfter {
  readonly #now: () => number
  readonly #random: () => number
  #windowBeganAt: number
  #arrived = 0
  #refused = 0
  /** Of the window before. */
  #ratio = 1

  constructor({ now = () => performance.now(), random = Math.random }: RetryAfterOptions = {}) {
    this.#now = now
    this.#random = random
    this.#windowBeganAt = now()
  }

  noteArrived(): void {
    this.#moveWindow()
    this.#arrived += 1
  }

  /** Of one that has arrived. @returns seconds, from 1 to {@link maxRetryAfter} */
  noteRefused(): number {
    this.#moveWindow()
    this.#refused += 1
    const seconds = Math.round(this.#ratio * (0.5 + this.#random()))
    return Math.min(Math.max(seconds, 1), maxRetryAfter)
  }

  #moveWindow(): void {
    const now = this.#now()
    const passedMs = now - this.#windowBeganAt
    if (passedMs < windowMs) return
    const served = Math.max(1, this.#arrived - this.#refused)
    this.#ratio = passedMs < 2 * windowMs ? this.#arrived / served : 1
    this.#arrived = 0
    this.#refused = 0
    this.#windowBeganAt = now
  }
}
