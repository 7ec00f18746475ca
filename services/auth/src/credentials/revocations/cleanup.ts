import type { Database } from '@svc/database'
import type { Method } from '@svc/proto/auth/v1/authentications'
import { deleteExpiredTokens, tryLockCleanup } from './ended-tokens.store.ts'

/** What one statement locks, for some 20 ms. */
const batchSize = 1000

/**
 * Deletes the tokens of a method that expired more than `gracePeriodMs` ago. Several processes may
 * do so at once: one works, the others leave it to that one.
 *
 * @returns how many this process deleted
 */
export async function cleanUp(
  db: Database,
  method: Method,
  gracePeriodMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let count = 0
  for (;;) {
    const deleted = await db.transaction(async (tx) =>
      (await tryLockCleanup(tx, method))
        ? deleteExpiredTokens(tx, method, gracePeriodMs, batchSize)
        : 0,
    )
    count += deleted
    if (deleted < batchSize || signal?.aborted) return count
  }
}
