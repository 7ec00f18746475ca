import { AppError } from '@svc/runtime'

/** Calls in flight that are always allowed, unless another number is said: a burst of so many is no overload. */
const minInFlight = 128

export interface InFlightOptions {
  readonly atLeast?: number
  readonly now?: () => number
}

/** Time over which finished calls are counted, in milliseconds. */
const windowMs = 1000

/**
 * Limits the calls in flight of one kind: as many as were finished within the last second, and 128 at least. So
 * a call that is admitted takes about a second at most (Little's law), and one more is refused at once.
 */
export class InFlightLimit {
  readonly #name: string
  readonly #atLeast: number
  readonly #now: () => number
  #inFlight = 0
  #windowBeganAt: number
  /** Calls that finished in this window, and in the one before. */
  #finished = 0
  #finishedBefore = 0

  /** @param name of what is limited, for messages */
  constructor(name: string, options: InFlightOptions = {}) {
    const { atLeast = minInFlight, now = () => performance.now() } = options
    this.#name = name
    this.#atLeast = atLeast
    this.#now = now
    this.#windowBeganAt = now()
  }

  /** @throws {AppError} `unavailable` when too many are in flight, and whatever `call` throws */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.#moveWindow()
    const limit = Math.max(this.#atLeast, this.#finished, this.#finishedBefore)
    if (this.#inFlight >= limit) {
      const message = `too many requests for ${this.#name}, try again in a second`
      throw new AppError('unavailable', 'overloaded', message)
    }
    this.#inFlight += 1
    try {
      return await call()
    } finally {
      this.#inFlight -= 1
      this.#moveWindow()
      this.#finished += 1
    }
  }

  #moveWindow(): void {
    const passedMs = this.#now() - this.#windowBeganAt
    if (passedMs < windowMs) return
    this.#finishedBefore = passedMs < 2 * windowMs ? this.#finished : 0
    this.#finished = 0
    this.#windowBeganAt += passedMs
  }
}
