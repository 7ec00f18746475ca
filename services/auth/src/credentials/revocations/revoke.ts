import type { Database, Queryable } from '@svc/database'
import type { TokenCache } from '../cache/token-cache.ts'
import type { RecentRevocations } from './recent-revocations.ts'
import { notifyListeners, recordRevocations } from './revocations.store.ts'
import type { RevokedToken } from './revoked-tokens.store.ts'

/**
 * Ends tokens, or secrets of tokens, before their time; there is no other way. When this returns, the
 * revocations are committed, this process refuses the tokens, and the others are being notified: by
 * the database, which is certain, and through the cache, which may be quicker.
 *
 * @param change a function of `revoked-tokens.store.ts`
 * @returns what was changed
 * @throws {AppError} `unavailable` when nothing was changed, or the outcome is unknown
 */
export type Revoke = (
  change: (tx: Queryable) => Promise<readonly RevokedToken[]>,
) => Promise<readonly RevokedToken[]>

export interface RevocationTargets {
  readonly db: Database
  readonly shared: TokenCache
  readonly revocations: RecentRevocations
}

export function revokeWith({ db, shared, revocations }: RevocationTargets): Revoke {
  return async (change) => {
    const { revoked, recorded } = await db.transaction(async (tx) => {
      const revoked = await change(tx)
      if (revoked.length === 0) return { revoked, recorded: [] }
      await notifyListeners(tx)
      return { revoked, recorded: await recordRevocations(tx, revoked) }
    })
    revocations.accept(recorded)
    await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
    return revoked
  }
}
