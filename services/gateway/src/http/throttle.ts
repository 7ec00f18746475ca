import { LRUCache } from 'lru-cache'

/** About 10 MB when all are in use. Beyond it, the least recently used key is forgotten. */
const maxKeys = 100_000

export interface ThrottleOptions {
  /** How much may happen at once, after a time of quiet. */
  readonly burst: number
  /** How much of it may happen again with each second. */
  readonly perSecond: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/** Counts what each of many does, and says when it is too much: a token bucket for each key. */
export class Throttle {
  readonly #burst: number
  readonly #perMs: number
  readonly #now: () => number
  /** When each bucket will be full again. The others are. */
  readonly #fullAt = new LRUCache<string, number>({ max: maxKeys })

  constructor({ burst, perSecond, now = () => performance.now() }: ThrottleOptions) {
    this.#burst = burst
    this.#perMs = perSecond / 1000
    this.#now = now
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#fullAt.size
  }

  /** @returns whether it was still there to be taken */
  take(key: string): boolean {
    const now = this.#now()
    const missing = Math.max(0, ((this.#fullAt.get(key) ?? now) - now) * this.#perMs)
    if (missing + 1 > this.#burst) return false
    this.#fullAt.set(key, now + (missing + 1) / this.#perMs)
    return true
  }
}
