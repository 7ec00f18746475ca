import { LRUCache } from 'lru-cache'
import type { TokenRecord } from '../records/authentications.store.ts'

/** Some 50 MB at most, with records of the usual size. */
const max = 50_000
/** Bursts cost one lookup, and nobody has to wait for a revocation to be heard of. */
const knownForMs = 1000
/** Someone tries a wrong token again and again. */
const unknownForMs = 5000

/** What this process has lately found out about tokens, by hash. */
export class LocalCache {
  readonly #known = new LRUCache<string, TokenRecord>({ max, ttl: knownForMs })
  // Apart, so that a flood of wrong tokens does not drive out the right ones.
  readonly #unknown = new LRUCache<string, true>({ max, ttl: unknownForMs })

  /** @returns `'unknown'` when there was no such token, `undefined` when a lookup has to tell */
  get(tokenHash: string): TokenRecord | 'unknown' | undefined {
    return this.#known.get(tokenHash) ?? (this.#unknown.has(tokenHash) ? 'unknown' : undefined)
  }

  set(tokenHash: string, found: TokenRecord | 'unknown'): void {
    this.forget(tokenHash)
    if (found === 'unknown') this.#unknown.set(tokenHash, true)
    else this.#known.set(tokenHash, found)
  }

  forget(tokenHash: string): void {
    this.#known.delete(tokenHash)
    this.#unknown.delete(tokenHash)
  }

  forgetUnknown(): void {
    this.#unknown.clear()
  }

  forgetAll(): void {
    this.#known.clear()
    this.#unknown.clear()
  }
}
