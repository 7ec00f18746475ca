import type { Database, Queryable } from '@svc/database'
import type { TokenCache } from '../cache/token-cache.ts'
import type { EndedToken } from './ended-tokens.store.ts'
import type { RecentRevocations } from './recent-revocations.ts'
import { recordRevocations, wakeFollowers } from './revocations.store.ts'

export interface RevocationParts {
  readonly db: Database
  readonly shared: TokenCache
  readonly revocations: RecentRevocations
}

/**
 * Ends tokens, or secrets of tokens, before their time; there is no other way. When this returns, the
 * revocations are committed, this process refuses the tokens, and the others are being told: by the
 * database, which is certain, and through the cache, which may be quicker.
 *
 * @param end changes the tokens, if there are any to change; the functions of `ended-tokens.store.ts`
 * @returns what was changed
 * @throws {AppError} `unavailable` when nothing was changed, or it is not known
 */
export async function revoke(
  { db, shared, revocations }: RevocationParts,
  end: (tx: Queryable) => Promise<readonly EndedToken[]>,
): Promise<readonly EndedToken[]> {
  const { ended, recorded } = await db.transaction(async (tx) => {
    const ended = await end(tx)
    if (ended.length === 0) return { ended, recorded: [] }
    await wakeFollowers(tx)
    return { ended, recorded: await recordRevocations(tx, ended) }
  })
  revocations.accept(recorded)
  await shared.revoke(recorded.map(({ tokenHash }) => tokenHash))
  return ended
}
