import { LRUCache } from 'lru-cache'

/** A token that was deleted or made to expire earlier, as told by the database. */
export interface Revocation {
  readonly seq: number
  readonly tokenHash: string
  /** How long ago that was, in milliseconds. */
  readonly ageMs: number
  /** How soon it is refused, in milliseconds: 0 or less when it already is. */
  readonly refusedInMs: number
}

/**
 * How long a revocation is remembered, in milliseconds. By then nothing that was known before it is
 * used anywhere: shared entries live for 30 s, and gateways cut off from here go on for 2 minutes.
 */
export const rememberedMs = 600_000

/** Revocations are committed one after the other, so that there are hardly more in the time. */
const max = 200_000

export interface RevocationListener {
  /** What was known of the token is outdated. */
  readonly onRevoked?: (tokenHash: string) => void
  /** From now on the token is refused. */
  readonly onRefused?: (tokenHash: string) => void
  /** What was known of any token may be outdated. */
  readonly onGap?: () => void
}

/** The tokens that were revoked lately, as far as this process has heard. */
export class RecentRevocations {
  readonly #revoked = new LRUCache<string, true>({ max, ttl: rememberedMs })
  readonly #refused = new LRUCache<string, true>({ max, ttl: rememberedMs })
  readonly #listeners = new Set<RevocationListener>()

  /** While this is so, only the database is believed about the token. */
  has(tokenHash: string): boolean {
    return this.#revoked.has(tokenHash)
  }

  /** Whether that has come to be refused. */
  isRefused(tokenHash: string): boolean {
    return this.#refused.has(tokenHash)
  }

  /** Those that have come to be refused within the last ten minutes. */
  refused(): string[] {
    return [...this.#refused.keys()]
  }

  /** @returns what ends the listening */
  listen(listener: RevocationListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Each may be told any number of times: by whoever revoked it, and by the database. */
  accept(revocations: readonly Revocation[]): void {
    for (const { tokenHash, ageMs, refusedInMs } of revocations) {
      const ttl = Math.ceil(rememberedMs - ageMs)
      if (ttl <= 0) continue
      this.#revoked.set(tokenHash, true, { ttl })
      for (const { onRevoked } of this.#listeners) onRevoked?.(tokenHash)
      if (refusedInMs <= 0) this.#refuse(tokenHash, ttl)
      // Later than that, everyone will have asked anew and know when the token expires.
      else if (refusedInMs <= rememberedMs) {
        setTimeout(() => this.#refuse(tokenHash, rememberedMs), refusedInMs).unref()
      }
    }
  }

  /** Revocations may have been missed, nobody knows which. */
  reportGap(): void {
    for (const { onGap } of this.#listeners) onGap?.()
  }

  #refuse(tokenHash: string, ttl: number): void {
    this.#refused.set(tokenHash, true, { ttl })
    for (const { onRefused } of this.#listeners) onRefused?.(tokenHash)
  }
}
