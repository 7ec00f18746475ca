/** Long enough for those who read the log, however often a thing happens that others bring about. */
const usualIntervalMs = 60_000

/** Kinds that are told apart in an interval; a megabyte at most, and as many lines in a minute. */
const usualMaxKinds = 1000

export interface SeldomOptions {
  /**
   * Told at the end of an interval how often a kind was not told of; `undefined` are all kinds of which
   * nothing was told, because there were too many.
   */
  readonly tellRest?: (kind: string | undefined, count: number) => void
  readonly intervalMs?: number
  readonly maxKinds?: number
}

/** A log limiter: of each kind of thing the first in a minute is told, and the others are counted. */
export class Seldom {
  readonly #tellRest: (kind: string | undefined, count: number) => void
  readonly #intervalMs: number
  readonly #maxKinds: number
  #counts = new Map<string | undefined, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: SeldomOptions = {}) {
    this.#tellRest = options.tellRest ?? (() => {})
    this.#intervalMs = options.intervalMs ?? usualIntervalMs
    this.#maxKinds = options.maxKinds ?? usualMaxKinds
  }

  /** @returns whether to tell of it now, which is then taken to be done */
  isDue(kind: string): boolean {
    this.#timer ??= setTimeout(() => this.flush(), this.#intervalMs).unref()
    const isKnown = this.#counts.has(kind)
    if (!isKnown && this.#counts.size < this.#maxKinds) {
      this.#counts.set(kind, 0)
      return true
    }
    const counted = isKnown ? kind : undefined
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
    return false
  }

  /** Ends the interval: tells what was counted, and begins anew. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counts = this.#counts
    this.#counts = new Map()
    for (const [kind, count] of counts) if (count > 0) this.#tellRest(kind, count)
  }
}
