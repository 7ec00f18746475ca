/** What several processes know together of tokens, by hash, and what they tell each other. */
export interface TokenCache {
  /** Never rejects. What comes back may have been written by anyone. */
  get(tokenHash: string): Promise<string | undefined>
  /** Never rejects. Does nothing for a token that was revoked lately. */
  put(tokenHash: string, entry: string): Promise<void>
  /** Never rejects: a revocation takes its way through the database as well. */
  revoke(tokenHashes: readonly string[]): Promise<void>
  /**
   * Never rejects.
   *
   * @returns whether nobody has marked this name before; `true` as well when nobody can tell
   */
  markOnce(name: string, lifetimeMs: number): Promise<boolean>
  close(): void
}

/** What a process wants to hear of others through the cache. */
export interface TokenCacheListener {
  readonly onRevoked: (tokenHash: string) => void
  /** Messages may have been missed. */
  readonly onGap: () => void
}

/** How long an entry may be used, in milliseconds. */
export const sharedLifetimeMs = 30_000

/** Where there is none to share, each process has its own. */
export const noTokenCache: TokenCache = {
  get: async () => undefined,
  put: async () => {},
  revoke: async () => {},
  markOnce: async () => true,
  close: () => {},
}
