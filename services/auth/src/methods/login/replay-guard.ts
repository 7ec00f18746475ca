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
  readonly #shared: Pick<TokenCache, 'claim'>
  readonly #claimed = new LRUCache<string, true>(claims)

  constructor(shared: Pick<TokenCache, 'claim'>) {
    this.#shared = shared
  }

  /** @returns whether this is the first claim of the value for this purpose */
  async claim(purpose: string, value: string, lifetimeMs: number): Promise<boolean> {
    // The value may be a secret, and of any length.
    const name = createHash('sha256').update(`${purpose}\n${value}`).digest('base64url')
    if (this.#claimed.has(name)) return false
    this.#claimed.set(name, true, { ttl: lifetimeMs })
    return this.#shared.claim(name, lifetimeMs)
  }
}
