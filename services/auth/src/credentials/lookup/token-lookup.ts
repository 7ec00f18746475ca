import type { DatabaseClock, Queryable } from '@svc/database'
import { type Logger, LogThrottle, maxEntries } from '@svc/runtime'
import { counter } from '@svc/telemetry'
import { LRUCache } from 'lru-cache'
import { openEntry, sealEntry } from '../cache/cache-entry.ts'
import { noTokenCache, sharedLifetimeMs, type TokenCache } from '../cache/redis-cache.ts'
import { findByTokenHash, type TokenRecord } from '../records/authentications.store.ts'
import type { Hash } from '../records/token.ts'
import type { RecentRevocations } from '../revocations/recent-revocations.ts'

export interface TokenLookupParts {
  readonly db: Queryable
  readonly shared: TokenCache
  /** The key that seals shared entries. */
  readonly key: Buffer
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  /** Whether this process follows revocations. While it does not, no cache is trusted. */
  readonly isFollowing: () => boolean
  readonly log: Logger
}

type Found = TokenRecord | 'unknown'

interface Pending {
  readonly lookup: Promise<Found>
  /** The epoch of misses in which it began. */
  readonly epoch: number
}

/** Maximum entries in this process: some 50 MB with records of the usual size. */
const entries = maxEntries(50_000)
/** TTL of a hit: a burst costs one lookup, and revocations are followed within a second anyway. */
const hitTtlMs = 1000
/** TTL of a miss: a client that repeats a wrong token costs one lookup. */
const missTtlMs = 5000

/**
 * Looks tokens up by their hash: in this process, in the shared cache, in the database. Concurrent
 * requests for a token share one lookup.
 */
export class TokenLookup {
  readonly #parts: TokenLookupParts
  readonly #hits = new LRUCache<Hash, TokenRecord>({ ...entries, ttl: hitTtlMs })
  // Kept apart, so that a flood of wrong tokens does not evict the right ones.
  readonly #misses = new LRUCache<Hash, true>({ ...entries, ttl: missTtlMs })
  /** Lookups in progress. One that is removed from here is outdated: the token was changed. */
  readonly #pending = new Map<Hash, Pending>()
  /** Goes up when tokens may have been created. */
  #epoch = 0
  readonly #logThrottle = new LogThrottle()
  readonly #lookups = counter('svc.identity.lookups')

  constructor(parts: TokenLookupParts) {
    this.#parts = parts
  }

  /** @throws {AppError} `unavailable` when only the database has the answer and it is unavailable */
  find(tokenHash: Hash): Promise<Found> {
    const known = this.#hits.get(tokenHash) ?? (this.#misses.has(tokenHash) ? 'unknown' : undefined)
    if (known !== undefined && this.#isCacheable(tokenHash, known)) {
      this.#count('memory', known)
      return Promise.resolve(known)
    }
    this.#count('memory', undefined)
    return this.#join(tokenHash) ?? this.#begin(tokenHash)
  }

  /** The token was changed: the next lookup reads the database. */
  invalidate(tokenHash: Hash): void {
    this.#hits.delete(tokenHash)
    this.#misses.delete(tokenHash)
    this.#pending.delete(tokenHash)
  }

  /** Tokens may have been created that were looked up before, or are being looked up. */
  invalidateMisses(): void {
    this.#misses.clear()
    this.#epoch += 1
  }

  invalidateAll(): void {
    this.#hits.clear()
    this.#pending.clear()
    this.invalidateMisses()
  }

  /** @returns what is found by a lookup in progress, if there is one */
  #join(tokenHash: Hash): Promise<Found> | undefined {
    const pending = this.#pending.get(tokenHash)
    if (pending === undefined || pending.epoch === this.#epoch) return pending?.lookup
    // The token may have been created since it was read.
    return pending.lookup.then((found) => (found === 'unknown' ? this.find(tokenHash) : found))
  }

  #begin(tokenHash: Hash): Promise<Found> {
    const epoch = this.#epoch
    const isCurrent = (): boolean => this.#pending.get(tokenHash)?.lookup === lookup
    const mayKeep = (found: Found) => isCurrent() && (found !== 'unknown' || epoch === this.#epoch)
    const lookup: Promise<Found> = this.#lookUp(tokenHash, mayKeep).finally(() => {
      if (isCurrent()) this.#pending.delete(tokenHash)
    })
    this.#pending.set(tokenHash, { lookup, epoch })
    return lookup
  }

  async #lookUp(tokenHash: Hash, mayKeep: (found: Found) => boolean): Promise<Found> {
    const { db, shared, key, clock } = this.#parts
    // A result that was read before a revocation is not cached after it.
    const keep = (found: Found) => {
      if (!mayKeep(found) || !this.#isCacheable(tokenHash, found)) return false
      this.#hits.delete(tokenHash)
      if (found === 'unknown') this.#misses.set(tokenHash, true)
      else this.#hits.set(tokenHash, found)
      return true
    }
    const cached = await this.#findShared(tokenHash)
    if (cached !== undefined && keep(cached)) return cached
    const untilMs = clock.nowMs() + sharedLifetimeMs
    const found = (await findByTokenHash(db, tokenHash)) ?? 'unknown'
    this.#count('postgres', found)
    if (keep(found) && found !== 'unknown') {
      void shared.put(tokenHash, sealEntry(key, tokenHash, found, untilMs))
    }
    return found
  }

  async #findShared(tokenHash: Hash): Promise<TokenRecord | undefined> {
    if (!this.#isCacheable(tokenHash)) return undefined
    const { clock, key, log, shared } = this.#parts
    const entry = await shared.get(tokenHash)
    if (entry === undefined) {
      if (shared !== noTokenCache) this.#count('redis', undefined)
      return undefined
    }
    const opened = openEntry(key, tokenHash, entry, clock.nowMs())
    // Throttled: a client that can write to the cache can write often.
    if (opened === 'forged' && this.#logThrottle.shouldLog('forged')) {
      log.warn('ignored an entry in the token cache that this service did not write')
    }
    const found = typeof opened === 'string' ? undefined : opened
    this.#count('redis', found)
    return found
  }

  #count(layer: 'memory' | 'redis' | 'postgres', found: Found | undefined): void {
    const result = found === undefined ? 'miss' : found === 'unknown' ? 'refused' : 'hit'
    this.#lookups.add(1, { layer, result })
  }

  /** Of a recently revoked token only the database is trusted, unless the token is unknown. */
  #isCacheable(tokenHash: Hash, found?: Found): boolean {
    const { isFollowing, revocations } = this.#parts
    return isFollowing() && (found === 'unknown' || !revocations.has(tokenHash))
  }
}
