import type { Database } from '@svc/database'
import {
  deleteApplications,
  deleteDraft,
  deleteOperations,
  findApplied,
  findDropped,
} from './drafts.store.ts'

/**
 * Drops drafts that are a day old and what went with a namespace, and empties those that were applied.
 * Several replicas may do so at once: to delete twice is to delete.
 */
export async function sweepDrafts(db: Database): Promise<void> {
  for (const id of await findDropped(db)) await db.transaction((tx) => deleteDraft(tx, id))
  for (const id of await findApplied(db)) await db.transaction((tx) => deleteOperations(tx, id))
  await deleteApplications(db)
}
