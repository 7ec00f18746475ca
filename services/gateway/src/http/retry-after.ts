/** The longest that a client is asked to wait, in seconds. */
export const maxRetryAfter = 10

/** What is spread by half, and then is at most that. */
const maxRatio = maxRetryAfter / 1.5

/** Time over which requests are counted, in milliseconds. */
const windowMs = 1000

export interface RetryAfterOptions {
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
  /** At least 0, and less than 1. */
  readonly random?: () => number
}

/**
 * How long a refused client is asked to wait: as many seconds as there are requests to each that is not refused. So the more
 * there are, the fewer come back in a second, and refusing takes little of the processor. Spread by half, as those that
 * are refused together would come back together.
 */
export class RetryAfter {
  readonly #now: () => number
  readonly #random: () => number
  #windowBeganAt: number
  #counts = { arrived: 0, refused: 0 }
  /** Of the window before. */
  #before = { arrived: 0, refused: 0 }

  constructor({ now = () => performance.now(), random = Math.random }: RetryAfterOptions = {}) {
    this.#now = now
    this.#random = random
    this.#windowBeganAt = now()
  }

  noteArrived(): void {
    this.#moveWindow()
    this.#counts.arrived += 1
  }

  /** One that has arrived will be refused, in this turn or in a later one. */
  noteRefused(): void {
    this.#moveWindow()
    this.#counts.refused += 1
  }

  /** @returns from 1 to {@link maxRetryAfter} */
  seconds(): number {
    this.#moveWindow()
    const arrived = this.#before.arrived + this.#counts.arrived
    const admitted = arrived - this.#before.refused - this.#counts.refused
    const ratio = Math.min(arrived / Math.max(1, admitted), maxRatio)
    return Math.max(1, Math.round(ratio * (0.5 + this.#random())))
  }

  #moveWindow(): void {
    const now = this.#now()
    const passedMs = now - this.#windowBeganAt
    if (passedMs < windowMs) return
    this.#before = passedMs < 2 * windowMs ? this.#counts : { arrived: 0, refused: 0 }
    this.#counts = { arrived: 0, refused: 0 }
    this.#windowBeganAt = now
  }
}
