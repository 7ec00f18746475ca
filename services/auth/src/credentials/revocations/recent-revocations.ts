import { maxEntries } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { TokenCacheListener } from '../cache/redis-cache.ts'
import type { Hash } from '../records/token.ts'

/** A token that was deleted or whose expiry was brought forward, as the database has it. */
export interface Revocation {
  readonly seq: number
  readonly tokenHash: Hash
  /** Age of the revocation, in milliseconds. */
  readonly ageMs: number
  /** How long the token is still valid, in milliseconds: 0 or less when it is refused already. */
  readonly validForMs: number
}

/**
 * How long a revocation is remembered, in milliseconds. By then no earlier lookup is in use: shared
 * entries live for 30 s, and disconnected gateways serve for 2 minutes.
 */
export const rememberedMs = 600_000

/** Maximum revocations: they are committed one by one, so the interval rarely has more. */
const entries = maxEntries(200_000)

export interface RevocationListener extends Partial<TokenCacheListener> {
  /** The token is refused from now on. */
  readonly onRefused?: (tokenHash: Hash) => void
}

/** The tokens whose recent revocation this process has received. */
export class RecentRevocations {
  readonly #revoked = new LRUCache<Hash, true>({ ...entries, ttl: rememberedMs })
  readonly #refused = new LRUCache<Hash, true>({ ...entries, ttl: rememberedMs })
  readonly #listeners = new Set<RevocationListener>()

  /** While it returns `true`, only the database is trusted about the token. */
  has(tokenHash: Hash): boolean {
    return this.#revoked.has(tokenHash)
  }

  /** Whether the token is refused by now. */
  isRefused(tokenHash: Hash): boolean {
    return this.#refused.has(tokenHash)
  }

  /** The tokens that began to be refused within the last ten minutes. */
  refused(): Hash[] {
    return [...this.#refused.keys()]
  }

  /** @returns what removes the listener */
  listen(listener: RevocationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Idempotent: a revocation arrives from the process that made it and from the database. */
  accept(revocations: readonly Revocation[]): void {
    for (const { tokenHash, ageMs, validForMs } of revocations) {
      const ttl = Math.ceil(rememberedMs - ageMs)
      if (ttl <= 0) continue
      this.#revoked.set(tokenHash, true, { ttl })
      for (const { onRevoked } of this.#listeners) onRevoked?.(tokenHash)
      if (validForMs <= 0) this.#refuse(tokenHash, ttl)
      // Later than that, every cache has looked the token up again and has its expiry.
      else if (validForMs <= rememberedMs) {
        setTimeout(() => this.#refuse(tokenHash, rememberedMs), validForMs).unref()
      }
    }
  }

  /** Revocations may have been missed, and it is unknown which. */
  reportGap(): void {
    for (const { onGap } of this.#listeners) onGap?.()
  }

  #refuse(tokenHash: Hash, ttl: number): void {
    this.#refused.set(tokenHash, true, { ttl })
    for (const { onRefused } of this.#listeners) onRefused?.(tokenHash)
  }
}
