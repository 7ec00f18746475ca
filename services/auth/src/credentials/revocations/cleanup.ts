import type { Queryable } from '@svc/database'
import type { Method } from '@svc/proto/auth/v1/authentications'
import { deleteOldRevocations } from './revocations.store.ts'
import { deleteExpiredTokens } from './revoked-tokens.store.ts'

/** Maximum rows that a statement locks, for some 20 ms. */
const batchSize = 1000

/** Deletes batches until one is not full or the process ends. */
export async function deleteAll(
  deleteBatch: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let count = 0; ; ) {
    const deleted = await deleteBatch(batchSize)
    count += deleted
    if (deleted < batchSize || signal?.aborted) return count
  }
}

/**
 * Deletes the tokens of a method that expired more than `gracePeriodMs` ago. Of several processes one
 * does the work.
 *
 * @returns how many this process deleted
 */
export function cleanUp(
  db: Queryable,
  method: Method,
  gracePeriodMs: number,
  signal?: AbortSignal,
): Promise<number> {
  return deleteAll((limit) => deleteExpiredTokens(db, method, gracePeriodMs, limit), signal)
}

/** Interval of the deletion of old revocations: keeping some longer is harmless. */
export const pruneIntervalMs = 300_000

/** Deletes revocations older than an hour. Safe in any number of processes at once. */
export function pruneRevocations(db: Queryable, signal?: AbortSignal): Promise<number> {
  return deleteAll((limit) => deleteOldRevocations(db, limit), signal)
}
