import type { Database } from '@svc/database'
import type { Logger } from '@svc/runtime'
import { forEachItem } from '../records/each-item.ts'
import { lockNamespace } from './stamp.store.ts'

/**
 * Deletes the tombstones that are older than `maxAgeMs`. A gateway that still needs them is sent the
 * whole namespace. Several replicas may do so at once: each tombstone is deleted by one of them.
 */
export async function pruneTombstones(db: Database, log: Logger, maxAgeMs: number): Promise<void> {
  const namespaces = await db.query<{ key: string }>(
    `SELECT DISTINCT namespace_key AS key FROM resource.tombstones
      WHERE deleted_at < now() - $1 * interval '1 millisecond'`,
    [maxAgeMs],
  )
  const keys = namespaces.map(({ key }) => key)
  const prune = (key: string) =>
    db.transaction(async (tx) => {
      // Locks in the order of writers. Without the namespace there are no writers.
      await lockNamespace(tx, key)
      await tx.query(
        `WITH pruned AS (
           DELETE FROM resource.tombstones
            WHERE namespace_key = $1 AND deleted_at < now() - $2 * interval '1 millisecond'
            RETURNING revision)
         UPDATE resource.namespaces
            SET compacted_revision =
                  greatest(compacted_revision, (SELECT max(revision) FROM pruned))
          WHERE key = $1`,
        [key, maxAgeMs],
      )
    })
  await forEachItem(keys, prune, (err, namespace) =>
    log.error({ err, namespace }, 'failed to delete tombstones; it is tried again'),
  )
}
