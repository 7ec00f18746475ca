import type { Logger } from './types.ts'

/** Time in which the same is said once, in milliseconds. */
const intervalMs = 60_000

/** Maximum number of things that were said within that time; of more the oldest are said again. */
const maxKnown = 1000

/** Warnings for the application's log, each at most once a minute. */
export class Warnings {
  readonly #logger: Logger
  /** When each was said last, by `performance.now()`; the oldest first. */
  readonly #saidAt = new Map<string, number>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Never throws, so that evaluations do not. @param about what is said once a minute */
  warn(about: string, message: string): void {
    const now = performance.now()
    const saidAt = this.#saidAt.get(about)
    if (saidAt !== undefined && now - saidAt < intervalMs) return
    this.#saidAt.delete(about)
    for (const oldest of this.#saidAt.keys()) {
      if (this.#saidAt.size < maxKnown) break
      this.#saidAt.delete(oldest)
    }
    this.#saidAt.set(about, now)
    try {
      this.#logger.warn(`svc flags: ${message}`)
    } catch {}
  }
}
