import { createHash } from 'node:crypto'
import { maxEntries } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { TokenCache } from '../../credentials/cache/redis-cache.ts'

/** Maximum claims: far more than logins that finish within their lifetime. */
const claims = maxEntries(20_000)

/**
 * Refuses replays of one-time values. Exact within this process and, with Redis, across all of them.
 * Without Redis a replay at another replica is left to the identity provider, which must refuse it too.
 */
export class ReplayGuard {
  readonly #shared: Pick<TokenCache, 'claim' | 'extend' | 'release'>
  readonly #claimed = new LRUCache<string, true>(claims)

  constructor(shared: Pick<TokenCache, 'claim' | 'extend' | 'release'>) {
    this.#shared = shared
  }

  /** @returns whether this is the first claim of the value for this purpose */
  async claim(purpose: string, value: string, lifetimeMs: number): Promise<boolean> {
    const name = nameOf(purpose, value)
    if (this.#claimed.has(name)) return false
    this.#claimed.set(name, true, { ttl: lifetimeMs })
    const isFirst = await this.#shared.claim(name, lifetimeMs)
    // The process that has claimed it may release it, and then Redis alone knows.
    if (!isFirst) this.#claimed.delete(name)
    return isFirst
  }

  /** Makes a claim last for as long from now on, once its work is done. Never rejects. */
  async extend(purpose: string, value: string, lifetimeMs: number): Promise<void> {
    const name = nameOf(purpose, value)
    this.#claimed.set(name, true, { ttl: lifetimeMs })
    await this.#shared.extend(name, lifetimeMs)
  }

  /**
   * Undoes a claim whose work has failed, so that the value may be used again. Never rejects. Without
   * Redis, the claim ends in this process alone.
   */
  async release(purpose: string, value: string): Promise<void> {
    const name = nameOf(purpose, value)
    await this.#shared.release(name)
    // Last, so that a claim in between is refused whole, and not in Redis alone.
    this.#claimed.delete(name)
  }
}

/** The value may be a secret, and of any length. */
function nameOf(purpose: string, value: string): string {
  return createHash('sha256').update(`${purpose}\n${value}`).digest('base64url')
}
