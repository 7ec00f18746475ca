import type { Database, Queryable } from '@svc/database'
import type { TokenCache } from '../identities/token-cache.ts'
import type { RecentRevocations, Revocation } from './recent-revocations.ts'
import { lockRevocations, wakeFollowers } from './revocations.store.ts'

export interface RevocationParts {
  readonly db: Database
  readonly shared: TokenCache
  readonly revocations: RecentRevocations
}

/**
 * Ends tokens before their time; there is no other way. When this returns, the revocation is
 * committed, this process refuses the token, and the others are being told: by the database, which
 * is certain, and through the cache, which may be quicker.
 *
 * @param end changes the tokens and notes the revocations
 * @returns whether there was anything to revoke
 * @throws {AppError} `unavailable` when nothing was changed, or it is not known
 */
export async function revoke(
  { db, shared, revocations }: RevocationParts,
  end: (tx: Queryable) => Promise<readonly Revocation[]>,
): Promise<boolean> {
  const revoked = await db.transaction(async (tx) => {
    await lockRevocations(tx)
    const ended = await end(tx)
    if (ended.length > 0) await wakeFollowers(tx)
    return ended
  })
  revocations.accept(revoked)
  await shared.revoke(revoked.map(({ tokenHash }) => tokenHash))
  return revoked.length > 0
}
