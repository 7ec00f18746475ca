import { type Database, runPortions } from '@svc/database'
import type { Logger } from '@svc/runtime'
import { forEachItem } from '../records/each-item.ts'
import {
  deleteApplications,
  deleteExpired,
  deleteParts,
  deleteSomeOperations,
  findApplied,
  findExpired,
  findLeft,
} from './drafts.store.ts'

/**
 * Drops drafts that are a day old and what went with a namespace, and empties those that were applied.
 * Several replicas may do so at once: to delete twice is to delete.
 */
export async function sweepDrafts(db: Database, log: Logger): Promise<void> {
  const forEach = (ids: readonly string[], work: (id: string) => Promise<unknown>) =>
    forEachItem(ids, work, (err, draft) =>
      log.error({ err, draft }, 'failed to sweep a draft; it is tried again'),
    )
  await forEach(await findExpired(db), (id) => db.transaction((tx) => deleteExpired(tx, id)))
  await forEach(await findLeft(db), async (id) => {
    // Last, for the parts say that there is something left.
    if (await empty(db, id)) await deleteParts(db, id)
  })
  await forEach(await findApplied(db), (id) => empty(db, id))
  await deleteApplications(db)
}

/** @returns whether all operations of the draft are gone; `false` when another process is at it */
function empty(db: Database, id: string): Promise<boolean> {
  return runPortions(db, { lock: 'resource.drafts' }, (tx) => deleteSomeOperations(tx, id))
}
