/** Time of an outage in which retries are quick, in milliseconds: restarts take no longer. */
const quickMs = 60_000

/** Wait before the first retry, in milliseconds. */
const firstMs = 500

/** Longest wait within {@link quickMs}: with its spread 1.5 s, so that flags are fresh 2 s after it heals. */
const maxQuickMs = 1000

/** Longest wait after it. */
const maxSlowMs = 30_000

/** How long to wait before each retry of a connection, until one succeeds. */
export class Backoff {
  #since: number | undefined
  #retries = 0
  #slowRetries = 0

  /** Forgets the outage: the connection worked. */
  reset(): void {
    this.#since = undefined
    this.#retries = 0
    this.#slowRetries = 0
  }

  /** Whether the outage is too long for a restart. */
  get isLong(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= quickMs
  }

  /** @returns milliseconds */
  next(): number {
    this.#since ??= performance.now()
    const waitMs = this.isLong
      ? Math.min(maxQuickMs * 2 ** ++this.#slowRetries, maxSlowMs)
      : Math.min(firstMs * 2 ** this.#retries++, maxQuickMs)
    return spread(waitMs)
  }
}

/** A random time around another one, so that clients that waited for the same thing do not come together. */
export function spread(ms: number, share = 0.5): number {
  return ms * (1 - share + 2 * share * Math.random())
}
