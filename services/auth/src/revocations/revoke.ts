import type { Database, Queryable } from '@svc/database'
import type { TokenCache } from '../identities/token-cache.ts'
import type { RecentRevocations } from './recent-revocations.ts'
import { type EndedToken, recordRevocation, wakeFollowers } from './revocations.store.ts'

export interface RevocationParts {
  readonly db: Database
  readonly shared: TokenCache
  readonly revocations: RecentRevocations
}

/**
 * Ends a token before its time; there is no other way. When this returns, the revocation is
 * committed, this process refuses the token, and the others are being told: by the database, which
 * is certain, and through the cache, which may be quicker.
 *
 * @param end changes the token, if there is one to change
 * @returns whether there was
 * @throws {AppError} `unavailable` when nothing was changed, or it is not known
 */
export async function revoke(
  { db, shared, revocations }: RevocationParts,
  end: (tx: Queryable) => Promise<EndedToken | undefined>,
): Promise<boolean> {
  const recorded = await db.transaction(async (tx) => {
    const ended = await end(tx)
    if (ended === undefined) return []
    await wakeFollowers(tx)
    return recordRevocation(tx, ended)
  })
  revocations.accept(recorded)
  await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
  return recorded.length > 0
}
