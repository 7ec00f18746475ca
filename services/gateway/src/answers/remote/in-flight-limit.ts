import { AppError } from '@svc/runtime'
import type { CallLimit } from '../../http/route-limits.ts'

/** Calls in flight that are allowed in a burst, unless another number is said. */
const usualBurst = 128

/** Time without a refusal after which there may be a burst again, in milliseconds. */
const restMs = 2000

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
 * Limits the calls in flight of one kind, with the requests that wait to make one. A burst is admitted. While there are more
 * than that, as many are allowed as were finished within the last 0.3 s, and 32 at least: so one that is admitted takes
 * about that long (Little's law), and one more is refused at once. A standing queue would make all of them late. What the
 * service itself refuses for now counts as refused, too.
 */
export class InFlightLimit implements CallLimit {
  readonly #name: string
  readonly #burst: number
  readonly #now: () => number
  #inFlight = 0
  #waiting = 0
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
    return this.#inFlight + this.#waiting === 0 && this.#now() - this.#refusedAt >= restMs
  }

  refuses(): boolean {
    const count = this.#inFlight + this.#waiting
    if (count < minInFlight) return false
    const now = this.#now()
    const isRested = now - this.#refusedAt >= restMs
    if (count < Math.max(this.#steadyAt(now), isRested ? this.#burst : 0)) return false
    this.#refusedAt = now
    return true
  }

  beginWait(): void {
    this.#waiting += 1
  }

  endWait(): void {
    this.#waiting -= 1
  }

  /**
   * A request that was admitted is not refused here, as it has waited; unless its caller took so long to be known that
   * more than a burst come at once.
   *
   * @throws {AppError} `unavailable` when too many are in flight, and whatever `call` throws
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const startedAt = this.#now()
    if (this.#inFlight >= Math.max(this.#steadyAt(startedAt), this.#burst)) {
      this.#refusedAt = startedAt
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

  /** How many may be in flight while there are too many. */
  #steadyAt(now: number): number {
    this.#moveWindow(now)
    return waitShare * Math.max(this.#finished, this.#finishedBefore)
  }

  #moveWindow(now: number): void {
    const passedMs = now - this.#windowBeganAt
    if (passedMs < windowMs) return
    this.#finishedBefore = passedMs < 2 * windowMs ? this.#finished : 0
    this.#finished = 0
    this.#windowBeganAt = now
  }
}
