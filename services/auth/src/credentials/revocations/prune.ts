import type { Queryable } from '@svc/database'
import { deleteOldRevocations } from './revocations.store.ts'

/** Interval of the deletion of old revocations: keeping some longer is harmless. */
export const pruneIntervalMs = 300_000

/** Maximum rows of a statement, which keeps its locks and WAL small. */
const batchSize = 1000

/** Deletes revocations older than an hour. Safe in any number of processes at once. */
export async function pruneRevocations(db: Queryable): Promise<number> {
  let count = 0
  for (;;) {
    const deleted = await deleteOldRevocations(db, batchSize)
    count += deleted
    if (deleted < batchSize) return count
  }
}
