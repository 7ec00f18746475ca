import { AsyncLocalStorage } from 'node:async_hooks'

/** Minimum interval between log lines of one key, so that a caller cannot flood the log. */
const intervalMs = 60_000

/** Maximum keys of an interval: bounds the memory to a megabyte, and the lines of a minute. */
const maxKeys = 1000

/**
 * Receives at the end of an interval how many lines of a key were suppressed. The key `undefined`
 * counts those of all keys beyond the maximum.
 */
type OnSuppressed = (key: string | undefined, count: number) => void

/** Throttles log lines: the first of each key in an interval passes, and the others are counted. */
export class LogThrottle {
  readonly #onSuppressed: OnSuppressed
  #counts = new Map<string | undefined, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(onSuppressed: OnSuppressed = () => {}) {
    // The timer begins within the request of the first line, whose ids would be on the lines of the report.
    this.#onSuppressed = AsyncLocalStorage.bind(onSuppressed)
  }

  /** @returns whether the caller writes the line now; counts it as suppressed if not */
  shouldLog(key: string): boolean {
    this.#timer ??= setTimeout(() => this.flush(), intervalMs).unref()
    const isKnown = this.#counts.has(key)
    if (!isKnown && this.#counts.size < maxKeys) {
      this.#counts.set(key, 0)
      return true
    }
    const counted = isKnown ? key : undefined
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
    return false
  }

  /** Ends the interval: reports what was suppressed, and starts the next one. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counts = this.#counts
    this.#counts = new Map()
    for (const [key, count] of counts) if (count > 0) this.#onSuppressed(key, count)
  }
}
