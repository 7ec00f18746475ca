import type { DatabaseClock, Queryable } from '@svc/database'
import { type Logger, LogThrottle } from '@svc/runtime'
import { openEntry, sealEntry } from '../cache/cache-entry.ts'
import { LocalCache } from '../cache/local-cache.ts'
import { sharedLifetimeMs, type TokenCache } from '../cache/token-cache.ts'
import { findByTokenHash, type TokenRecord } from '../records/authentications.store.ts'
import type { RecentRevocations } from '../revocations/recent-revocations.ts'

export interface TokenLookupParts {
  readonly db: Queryable
  readonly shared: TokenCache
  /** What shared entries are sealed with. */
  readonly key: Buffer
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  /** Whether this process is hearing of revocations; while it is not, it trusts no cache. */
  readonly isFollowing: () => boolean
  readonly log: Logger
}

type Found = TokenRecord | 'unknown'

/** A lookup under way. */
interface Flight {
  readonly state: FlightState
  readonly result: Promise<Found>
}

interface FlightState {
  /** Something has happened to the token since the lookup began. */
  isOutdated: boolean
}

/**
 * Finds what is known of tokens by their hash: in this process, in the shared cache, in the
 * database. Requests for the same token wait for one lookup.
 */
export class TokenLookup {
  readonly #parts: TokenLookupParts
  readonly #local = new LocalCache()
  readonly #flights = new Map<string, Flight>()
  readonly #logThrottle = new LogThrottle()

  constructor(parts: TokenLookupParts) {
    this.#parts = parts
  }

  /** @throws {AppError} `unavailable` when only the database could tell and it is away */
  find(tokenHash: string): Promise<Found> {
    const known = this.#local.get(tokenHash)
    if (known !== undefined && this.#mayBelieve(tokenHash, known)) return Promise.resolve(known)
    return (this.#flights.get(tokenHash) ?? this.#begin(tokenHash)).result
  }

  /** Something has happened to the token: only the database knows. */
  forget(tokenHash: string): void {
    this.#local.forget(tokenHash)
    this.#abandon(tokenHash)
  }

  /** Tokens may have come into being that we took for unknown. */
  forgetUnknown(): void {
    this.#local.forgetUnknown()
    for (const tokenHash of this.#flights.keys()) this.#abandon(tokenHash)
  }

  forgetAll(): void {
    this.#local.forgetAll()
    for (const tokenHash of this.#flights.keys()) this.#abandon(tokenHash)
  }

  /** Whoever asks from now on gets an answer that was made from now on. */
  #abandon(tokenHash: string): void {
    const flight = this.#flights.get(tokenHash)
    if (flight === undefined) return
    flight.state.isOutdated = true
    this.#flights.delete(tokenHash)
  }

  #begin(tokenHash: string): Flight {
    const state = { isOutdated: false }
    const result = this.#lookUp(tokenHash, state).finally(() => {
      if (!state.isOutdated) this.#flights.delete(tokenHash)
    })
    const flight = { state, result }
    this.#flights.set(tokenHash, flight)
    return flight
  }

  async #lookUp(tokenHash: string, state: FlightState): Promise<Found> {
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

  /** What was read before a revocation must not be found by anyone after it. */
  #keep(tokenHash: string, found: Found, { isOutdated }: FlightState): boolean {
    if (isOutdated || !this.#mayBelieve(tokenHash, found)) return false
    this.#local.set(tokenHash, found)
    return true
  }

  async #findShared(tokenHash: string): Promise<TokenRecord | undefined> {
    if (!this.#mayBelieve(tokenHash)) return undefined
    const entry = await this.#parts.shared.get(tokenHash)
    if (entry === undefined) return undefined
    const opened = openEntry(this.#parts.key, tokenHash, entry, this.#parts.clock.nowMs())
    if (opened === 'forged') this.#warn()
    return typeof opened === 'string' ? undefined : opened
  }

  /** A token that was revoked lately: only the database knows, unless it was gone already. */
  #mayBelieve(tokenHash: string, found?: Found): boolean {
    const { isFollowing, revocations } = this.#parts
    return isFollowing() && (found === 'unknown' || !revocations.has(tokenHash))
  }

  /** Whoever can write there can also write often. */
  #warn(): void {
    if (!this.#logThrottle.shouldLog('forged')) return
    this.#parts.log.warn('ignored an entry in the token cache that this service did not write')
  }
}
