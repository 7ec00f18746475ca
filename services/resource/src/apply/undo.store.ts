import type { Queryable } from '@svc/database'
import type { ChangedRecord } from '../changes/changed-record.ts'
import { type ItemPlace, storedBytes } from '../history/items.store.ts'
import type { Listed } from './operations.ts'

/** An item of a change that is undone. */
export interface UndoneItem extends Listed {
  /** It was created by the change: so it is deleted. */
  readonly isDeletion: boolean
  /** It was deleted by the change. */
  readonly isRestored: boolean
}

/** The items of a change, without their documents. */
export function listItems(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<UndoneItem[]> {
  return tx.query<UndoneItem>(
    `SELECT kind, key, before IS NULL AS "isDeletion", after IS NULL AS "isRestored",
            coalesce(octet_length(before::text), 0) AS bytes
       FROM resource.change_items WHERE namespace_key = $1 AND revision = $2 ORDER BY place`,
    [namespaceKey, revision],
  )
}

export interface ItemText extends ChangedRecord {
  readonly before: string | null
  readonly after: string | null
}

/** Those of some objects of one kind. */
export function readTexts(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
  kind: string,
  keys: readonly string[],
): Promise<ItemText[]> {
  return tx.query<ItemText>(
    `SELECT kind, key, before::text AS before, after::text AS after
       FROM resource.change_items
      WHERE namespace_key = $1 AND revision = $2 AND kind = $3 AND key = ANY ($4::text[])
      ORDER BY place`,
    [namespaceKey, revision, kind, keys],
  )
}

/** Changes of an object that are looked at for the one that is in the way. */
const maxLater = 100

/** The last changes of an object since a revision, the newest first. */
export function listLater(
  tx: Queryable,
  namespaceKey: string,
  { kind, key }: ChangedRecord,
  revision: number,
): Promise<ItemPlace[]> {
  return tx.query<ItemPlace>(
    `SELECT revision, place, ${storedBytes} AS "storedBytes" FROM resource.change_items
      WHERE namespace_key = $1 AND kind = $2 AND key = $3 AND revision > $4
      ORDER BY revision DESC LIMIT $5`,
    [namespaceKey, kind, key, revision, maxLater],
  )
}

/** The row of a namespace that is brought back; what is in it comes after. */
export async function insertNamespace(tx: Queryable, namespaceKey: string): Promise<void> {
  await tx.query(`INSERT INTO resource.namespaces (key, name) VALUES ($1, '')`, [namespaceKey])
}
