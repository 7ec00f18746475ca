import { LRUCache } from 'lru-cache'
import type { TokenRecord } from '../records/authentications.store.ts'
import type { Hash } from '../records/token.ts'

/** Maximum entries: some 50 MB with records of the usual size. */
const max = 50_000
/** TTL of a hit: a burst costs one lookup, and revocations are followed within a second anyway. */
const hitTtlMs = 1000
/** TTL of a miss: a client that repeats a wrong token costs one lookup. */
const missTtlMs = 5000

/** The results of recent lookups in this process, by hash. */
export class LocalCache {
  readonly #hits = new LRUCache<string, TokenRecord>({ max, ttl: hitTtlMs })
  // Kept apart, so that a flood of wrong tokens does not evict the right ones.
  readonly #misses = new LRUCache<string, true>({ max, ttl: missTtlMs })

  /** @returns `'unknown'` for a token that does not exist, `undefined` when a lookup is needed */
  get(tokenHash: Hash): TokenRecord | 'unknown' | undefined {
    return this.#hits.get(tokenHash) ?? (this.#misses.has(tokenHash) ? 'unknown' : undefined)
  }

  set(tokenHash: Hash, found: TokenRecord | 'unknown'): void {
    this.delete(tokenHash)
    if (found === 'unknown') this.#misses.set(tokenHash, true)
    else this.#hits.set(tokenHash, found)
  }

  delete(tokenHash: Hash): void {
    this.#hits.delete(tokenHash)
    this.#misses.delete(tokenHash)
  }

  clearMisses(): void {
    this.#misses.clear()
  }

  clear(): void {
    this.#hits.clear()
    this.#misses.clear()
  }
}
