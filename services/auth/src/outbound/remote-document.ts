import { setTimeout as sleep } from 'node:timers/promises'

/** Backoff after failed fetches: doubled with each failure. */
const backoffMs = { first: 5000, max: 60_000 }

export interface RemoteDocumentOptions<T> {
  /** Ends by itself in good time, with the document or an error. */
  readonly fetch: () => Promise<T>
  /** Maximum age at which a document is used while no newer one can be fetched, in milliseconds. */
  readonly maxAgeMs: number
  /** A monotonic clock, in milliseconds. @default that of the process */
  readonly nowMs?: (() => number) | undefined
}

/**
 * A cached document of a peer, such as its keys. Concurrent requests share one fetch, failed fetches
 * are retried with backoff, and the last document is used through an outage of the peer.
 */
export class RemoteDocument<T> {
  readonly #options: RemoteDocumentOptions<T>
  readonly #nowMs: () => number
  #last: T | undefined
  #fetchedAtMs = Number.NEGATIVE_INFINITY
  #attemptedAtMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #error: unknown
  #fetching: Promise<void> | undefined

  constructor(options: RemoteDocumentOptions<T>) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** The last document, unless it is too old or there is none. */
  get value(): T | undefined {
    const ageMs = this.#nowMs() - this.#fetchedAtMs
    return ageMs <= this.#options.maxAgeMs ? this.#last : undefined
  }

  /** The error of the last fetch, if it failed. */
  get error(): unknown {
    return this.#error
  }

  /** Whether the last fetch has ended and was successful: what is not in the document does not exist. */
  get isCurrent(): boolean {
    return this.#failures === 0 && this.#fetching === undefined && this.#last !== undefined
  }

  /**
   * Fetches the document, unless the last attempt is too recent. Never rejects.
   *
   * @param minIntervalMs since an attempt that succeeded; one that failed is followed by the backoff
   * @param maxWaitMs how long the caller waits for the fetch, which continues
   */
  async refresh(minIntervalMs: number, maxWaitMs?: number): Promise<void> {
    if (this.#isDue(minIntervalMs)) {
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = undefined
      })
    }
    if (this.#fetching === undefined || maxWaitMs === undefined) return this.#fetching
    const waited = new AbortController()
    const timeout = sleep(maxWaitMs, undefined, { signal: waited.signal }).catch(() => {})
    await Promise.race([this.#fetching, timeout])
    waited.abort()
  }

  #isDue(minIntervalMs: number): boolean {
    const retryMs = Math.min(backoffMs.first * 2 ** (this.#failures - 1), backoffMs.max)
    const intervalMs = this.#failures === 0 ? minIntervalMs : retryMs
    return this.#nowMs() - this.#attemptedAtMs >= intervalMs
  }

  async #fetch(): Promise<void> {
    this.#attemptedAtMs = this.#nowMs()
    try {
      this.#last = await this.#options.fetch()
      this.#fetchedAtMs = this.#attemptedAtMs
      this.#failures = 0
      this.#error = undefined
    } catch (error) {
      this.#failures += 1
      this.#error = error
    }
  }
}
