import { AppError } from '@svc/runtime'
import { restMs } from '../../http/serving-queue.ts'

/** Calls in flight that are allowed in a burst, unless another number is said. */
const usualBurst = 128

/** Calls in flight that are always allowed. */
const minInFlight = 32

/** Time over which finished calls are counted, in milliseconds. */
const windowMs = 1000

/**
 * The longest that a call may take on average while there are too many, as a share of {@link windowMs}. Far below a
 * second, after which callers give up.
 */
const waitShare = 0.3

export interface InFlightOptions {
  readonly burst?: number
  readonly now?: () => number
}

/**
 * Limits the calls in flight of one kind. A burst is admitted. While there are more than that, as many are allowed as
 * were finished within the last 0.3 s, and 32 at least: so one that is admitted takes about that long (Little's
 * law), and one more is refused at once. A standing queue would make all of them late. What the service itself refuses
 * for now counts as refused, too.
 */
export class InFlightLimit {
  readonly #name: string
  readonly #burst: number
  readonly #now: () => number
  #inFlight = 0
  #windowBeganAt: number
  /** Calls that finished in this window, and in the one before. */
  #finished = 0
  #finishedBefore = 0
  #refusedAt = Number.NEGATIVE_INFINITY

  /** @param name of what is limited, for messages */
  constructor(name: string, options: InFlightOptions = {}) {
    const { burst = usualBurst, now = () => performance.now() } = options
    this.#name = name
    this.#burst = burst
    this.#now = now
    this.#windowBeganAt = now()
  }

  /** Whether it remembers nothing that counts. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#now() - this.#refusedAt >= restMs
  }

  /** Whether one more has to be refused, which the caller then does. */
  refuses(): boolean {
    if (this.#inFlight < minInFlight) return false
    const now = this.#now()
    this.#moveWindow(now)
    const steady = waitShare * Math.max(this.#finished, this.#finishedBefore)
    const isRested = now - this.#refusedAt >= restMs
    if (this.#inFlight < Math.max(steady, isRested ? this.#burst : 0)) return false
    this.#refusedAt = now
    return true
  }

  /** @throws {AppError} `unavailable` when too many are in flight, and whatever `call` throws */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.refuses()) {
      const message = `too many requests for ${this.#name}, try again in a second`
      throw new AppError('unavailable', 'overloaded', message)
    }
    this.#inFlight += 1
    let isRefused = false
    try {
      return await call()
    } catch (error) {
      isRefused = error instanceof AppError && error.code === 'unavailable'
      throw error
    } finally {
      const now = this.#now()
      this.#inFlight -= 1
      this.#moveWindow(now)
      if (isRefused) this.#refusedAt = now
      else this.#finished += 1
    }
  }

  #moveWindow(now: number): void {
    const passedMs = now - this.#windowBeganAt
    if (passedMs < windowMs) return
    this.#finishedBefore = passedMs < 2 * windowMs ? this.#finished : 0
    this.#finished = 0
    this.#windowBeganAt = now
  }
}
