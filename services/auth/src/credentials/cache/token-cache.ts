import type { Hash } from '../records/token.ts'

/** A cache of token lookups that all processes share, and their messages about revocations. */
export interface TokenCache {
  /** Never rejects. The entry is untrusted: any client of the cache may have written it. */
  get(tokenHash: Hash): Promise<string | undefined>
  /** Never rejects. Does nothing for a token that was revoked within two minutes. */
  put(tokenHash: Hash, entry: string): Promise<void>
  /** Never rejects: revocations travel through the database as well. */
  revoke(tokenHashes: readonly Hash[]): Promise<void>
  /**
   * Never rejects.
   *
   * @returns whether this is the first claim of the name; `true` as well when the cache is unavailable
   */
  claim(name: string, lifetimeMs: number): Promise<boolean>
  close(): void
}

/** Receives the messages of other processes. */
export interface TokenCacheListener {
  readonly onRevoked: (tokenHash: Hash) => void
  /** Messages may have been missed. */
  readonly onGap: () => void
}

/** Lifetime of an entry, in milliseconds. */
export const sharedLifetimeMs = 30_000

/** In place of a shared cache where none is configured. */
export const noTokenCache: TokenCache = {
  get: async () => undefined,
  put: async () => {},
  revoke: async () => {},
  claim: async () => true,
  close: () => {},
}
