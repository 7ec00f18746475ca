import type { Queryable } from '@svc/database'
import { deleteOldRevocations } from './revocations.store.ts'

/** How often old revocations are deleted: a few too many do no harm. */
export const pruneIntervalMs = 300_000

/** Locks and log records of one statement stay small. */
const batchSize = 1000

/** Deletes the revocations older than an hour; any number of processes may do so at once. */
export async function pruneRevocations(db: Queryable): Promise<number> {
  let count = 0
  for (;;) {
    const deleted = await deleteOldRevocations(db, batchSize)
    count += deleted
    if (deleted < batchSize) return count
  }
}
