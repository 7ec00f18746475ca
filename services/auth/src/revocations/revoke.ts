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
 * @returns the token, if there was one
 * @throws {AppError} `unavailable` when nothing was changed, or it is not known
 */
export async function revoke(
  { db, shared, revocations }: RevocationParts,
  end: (tx: Queryable) => Promise<EndedToken | undefined>,
): Promise<EndedToken | undefined> {
  const { ended, recorded } = await db.transaction(async (tx) => {
    const ended = await end(tx)
    if (ended === undefined) return { ended, recorded: [] }
    await wakeFollowers(tx)
    return { ended, recorded: await recordRevocation(tx, ended) }
  })
  revocations.accept(recorded)
  await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
  return ended
}
