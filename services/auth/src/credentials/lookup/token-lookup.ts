import type { DatabaseClock, Queryable } from '@svc/database'
import { type Logger, LogThrottle } from '@svc/runtime'
import { openEntry, sealEntry } from '../cache/cache-entry.ts'
import { LocalCache } from '../cache/local-cache.ts'
import { sharedLifetimeMs, type TokenCache } from '../cache/token-cache.ts'
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

/** A lookup in progress, which all requests for the token share. */
interface PendingLookup {
  readonly state: LookupState
  readonly result: Promise<Found>
}

interface LookupState {
  /** The token was changed after the lookup began. */
  isOutdated: boolean
}

/**
 * Looks tokens up by their hash: in this process, in the shared cache, in the database. Concurrent
 * requests for a token share one lookup.
 */
export class TokenLookup {
  readonly #parts: TokenLookupParts
  readonly #local = new LocalCache()
  readonly #pending = new Map<Hash, PendingLookup>()
  readonly #logThrottle = new LogThrottle()

  constructor(parts: TokenLookupParts) {
    this.#parts = parts
  }

  /** @throws {AppError} `unavailable` when only the database has the answer and it is unavailable */
  find(tokenHash: Hash): Promise<Found> {
    const known = this.#local.get(tokenHash)
    if (known !== undefined && this.#isCacheable(tokenHash, known)) return Promise.resolve(known)
    return (this.#pending.get(tokenHash) ?? this.#begin(tokenHash)).result
  }

  /** The token was changed: the next lookup reads the database. */
  invalidate(tokenHash: Hash): void {
    this.#local.delete(tokenHash)
    this.#abandon(tokenHash)
  }

  /** Tokens may have been created that were looked up before. */
  invalidateMisses(): void {
    this.#local.clearMisses()
    for (const tokenHash of this.#pending.keys()) this.#abandon(tokenHash)
  }

  invalidateAll(): void {
    this.#local.clear()
    for (const tokenHash of this.#pending.keys()) this.#abandon(tokenHash)
  }

  /** Later requests start a lookup of their own. */
  #abandon(tokenHash: Hash): void {
    const pending = this.#pending.get(tokenHash)
    if (pending === undefined) return
    pending.state.isOutdated = true
    this.#pending.delete(tokenHash)
  }

  #begin(tokenHash: Hash): PendingLookup {
    const state = { isOutdated: false }
    const result = this.#lookUp(tokenHash, state).finally(() => {
      if (!state.isOutdated) this.#pending.delete(tokenHash)
    })
    const pending = { state, result }
    this.#pending.set(tokenHash, pending)
    return pending
  }

  async #lookUp(tokenHash: Hash, state: LookupState): Promise<Found> {
    const { db, shared, key, clock } = this.#parts
    const cached = await this.#findShared(tokenHash)
    if (cached !== undefined && this.#keep(tokenHash, cached, state)) return cached
    const untilMs = clock.nowMs() + sharedLifetimeMs
    const found = (await findByTokenHash(db, tokenHash)) ?? 'unknown'
    if (this.#keep(tokenHash, found, state) && found !== 'unknown') {
      void shared.put(tokenHash, sealEntry(key, tokenHash, found, untilMs))
    }
    return found
  }

  /** A result that was read before a revocation is not cached after it. */
  #keep(tokenHash: Hash, found: Found, { isOutdated }: LookupState): boolean {
    if (isOutdated || !this.#isCacheable(tokenHash, found)) return false
    this.#local.set(tokenHash, found)
    return true
  }

  async #findShared(tokenHash: Hash): Promise<TokenRecord | undefined> {
    if (!this.#isCacheable(tokenHash)) return undefined
    const entry = await this.#parts.shared.get(tokenHash)
    if (entry === undefined) return undefined
    const opened = openEntry(this.#parts.key, tokenHash, entry, this.#parts.clock.nowMs())
    if (opened === 'forged') this.#warn()
    return typeof opened === 'string' ? undefined : opened
  }

  /** Of a recently revoked token only the database is trusted, unless the token is unknown. */
  #isCacheable(tokenHash: Hash, found?: Found): boolean {
    const { isFollowing, revocations } = this.#parts
    return isFollowing() && (found === 'unknown' || !revocations.has(tokenHash))
  }

  /** Throttled: a client that can write to the cache can write often. */
  #warn(): void {
    if (!this.#logThrottle.shouldLog('forged')) return
    this.#parts.log.warn('ignored an entry in the token cache that this service did not write')
  }
}
