import type { Queryable } from '@svc/database'
import type { Kind } from '@svc/documents'

/** Where an item is. */
export interface ItemPlace {
  readonly revision: number
  readonly place: number
  /** Size of both documents as they are stored, compressed. */
  readonly storedBytes: number
}

/** An item of a change, without its documents. */
export interface ItemHead extends ItemPlace {
  readonly kind: Kind
  readonly key: string
}

/** The documents of an item, as text. */
export interface ItemTexts {
  readonly before: string | null
  readonly after: string | null
}

/** SQL of the size of an item's documents as they are stored: to look at the text takes far longer. */
export const storedBytes =
  'coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)'

/**
 * The first items of some changes, in the order of the changes.
 *
 * @param from the place of the first item
 * @param limit of the items of each change
 */
export async function readItemHeads(
  tx: Queryable,
  namespaceKey: string,
  revisions: readonly number[],
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<ItemHead[]> {
  return tx.query<ItemHead>(
    `SELECT wanted.revision, item.*
       FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (revision, number)
      CROSS JOIN LATERAL (
        SELECT place, kind, key, ${storedBytes} AS "storedBytes"
          FROM resource.change_items
         WHERE namespace_key = $1 AND revision = wanted.revision AND place >= $3::bigint
         ORDER BY place LIMIT $4) AS item
      ORDER BY wanted.number, item.place`,
    [namespaceKey, revisions, from, limit],
  )
}

/** The documents of items, in the order of the items. */
export async function readItemTexts(
  tx: Queryable,
  namespaceKey: string,
  heads: readonly ItemPlace[],
): Promise<ItemTexts[]> {
  return tx.query<ItemTexts>(
    `SELECT i.before::text AS before, i.after::text AS after
       FROM unnest($2::bigint[], $3::integer[]) WITH ORDINALITY AS wanted (revision, place, number)
       JOIN resource.change_items AS i
         ON i.namespace_key = $1 AND i.revision = wanted.revision AND i.place = wanted.place
      ORDER BY wanted.number`,
    [namespaceKey, heads.map(({ revision }) => revision), heads.map(({ place }) => place)],
  )
}
