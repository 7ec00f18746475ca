import type { Database, Queryable } from '@svc/database'
import { AppError } from '@svc/runtime'
import { onlyRow } from '../records/table.ts'
import { type ChangedRecord, titleOf } from './changed-record.ts'

/**
 * Maximum bytes of a flag or a segment with everything in it, by the count in its row. It travels in
 * one message, so this is well below what gRPC carries; eight of the largest attachments fit.
 */
export const maxRecordBytes = 8 * 2 ** 20

/** The error of a change by which a flag or segment takes more than {@link maxRecordBytes}. */
export function recordFull(namespaceKey: string, record: ChangedRecord): AppError {
  const title = titleOf(namespaceKey, record)
  const message = `${title} is full: with all that is in it, it may take 8 MiB`
  return new AppError('resource_exhausted', `${record.kind}_full`, message)
}

/** Default maximum of a namespace: a snapshot of it may have as many bytes. */
const defaultMaxNamespaceBytes = 256 * 2 ** 20

const namespaceLimits = new WeakMap<Database, number>()

/** Sets how many bytes each namespace of a database may take. */
export function limitNamespaces(db: Database, maxBytes: number): void {
  namespaceLimits.set(db, maxBytes)
}

/**
 * Refuses a change by which a namespace takes more than it may. Every gateway has all of it in memory.
 *
 * @param bytes by the count in its row. It is made anew before it refuses anything: a replica of a
 *   release that does not keep it may have deleted something.
 * @throws {AppError} `resource_exhausted`
 */
export async function checkNamespaceSize(
  db: Database,
  tx: Queryable,
  namespaceKey: string,
  bytes: number,
): Promise<void> {
  const maxBytes = namespaceLimits.get(db) ?? defaultMaxNamespaceBytes
  if (bytes <= maxBytes || (await recount(tx, namespaceKey)) <= maxBytes) return
  const message =
    `namespace "${namespaceKey}" is full: with all that is in it, it may take ` +
    `${maxBytes / 2 ** 20} MiB; delete or shrink something in it, or raise resource.max_namespace_mib`
  throw new AppError('resource_exhausted', 'namespace_full', message)
}

/** @returns the size of the namespace, which its row says from then on */
async function recount(tx: Queryable, namespaceKey: string): Promise<number> {
  const rows = await tx.query<{ bytes: number }>(
    `UPDATE resource.namespaces
        SET held_bytes =
              (SELECT coalesce(sum(held_bytes), 0) FROM resource.flags WHERE namespace_key = $1)
              + (SELECT coalesce(sum(held_bytes), 0) FROM resource.segments WHERE namespace_key = $1)
      WHERE key = $1 RETURNING held_bytes AS bytes`,
    [namespaceKey],
  )
  return onlyRow(rows).bytes
}
