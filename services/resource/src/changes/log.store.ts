import { type ChainKeys, type ChangeRow, chainStart, hashOfChange } from '@svc/audit'
import type { Queryable } from '@svc/database'
import { type ItemLog, insertItems } from './item-log.ts'
import type { Origin } from './origin.ts'
import type { ChangeRecorder } from './recorder.ts'
import type { Stamp } from './stamp.store.ts'

/** What the log says of a change besides its items. */
export interface Reason {
  readonly origin: Origin
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly keys: ChainKeys
}

const insertChange = `
  WITH change AS (
    INSERT INTO resource.changes
           (namespace_key, revision, at, actor, address, source, comment, request_id, details,
            items_hash, previous_hash, key_id, hash)
    VALUES ($1, $2, 'epoch'::timestamptz + $3 * interval '1 microsecond', $4, $5, $6, $7, $8, $9,
            $10, $11, $12, $13)),
  chain AS (
    INSERT INTO resource.chains AS chain (namespace_key, revision, hash, logged_on, logged_bytes)
    VALUES ($1, $2, $13, current_date, $14)
    ON CONFLICT (namespace_key) DO UPDATE
       SET revision = excluded.revision, hash = excluded.hash, logged_on = excluded.logged_on,
           logged_bytes = excluded.logged_bytes +
             CASE chain.logged_on WHEN excluded.logged_on THEN chain.logged_bytes ELSE 0 END)
  ${insertItems(1, 15)}`

/**
 * Logs a change and moves the head of its chain. The namespace's row is locked, so no other change comes
 * in between.
 */
export async function insertLog(
  tx: Queryable,
  { namespaceKey, items }: ChangeRecorder,
  { revision, at, head }: Stamp,
  reason: Reason,
): Promise<void> {
  const { origin, details, keys } = reason
  const { actor, address, source, comment, requestId } = origin
  const itemsHash = items.digest()
  const previousHash = head?.hash ?? chainStart
  const change: ChangeRow = {
    ...{ namespaceKey, revision, at, actor, source, comment, requestId, itemsHash },
    details: textOfDetails(details),
  }
  await tx.query(insertChange, [
    ...[namespaceKey, revision, at, actor, address, source, comment, requestId, change.details],
    ...[itemsHash, previousHash, keys.currentId, hashOfChange(keys, change, previousHash)],
    ...[sizeOfChange(items, reason), ...items.take()],
  ])
}

/** What the row of a change takes besides its comment and its details, roughly. */
const rowBytes = 512

/** What a change counts of the bytes that its namespace may log in a day. */
export function sizeOfChange({ bytes }: ItemLog, { origin, details }: Reason): number {
  const texts = [origin.comment, textOfDetails(details) ?? '']
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytes + rowBytes)
}

function textOfDetails(details: Reason['details']): string | null {
  return details === undefined ? null : JSON.stringify(details)
}

/** Whether the last change that was logged deleted the namespace. */
export async function endsWithDeletion(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM resource.change_items
      WHERE namespace_key = $1 AND revision = $2 AND kind = 'namespace' AND after IS NULL`,
    [namespaceKey, revision],
  )
  return rows.length > 0
}
