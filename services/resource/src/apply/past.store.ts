import type { Queryable } from '@svc/database'
import type { ChangedRecord } from '../changes/changed-record.ts'
import { type ItemPlace, storedBytes } from '../history/items.store.ts'

/** @returns a revision after `revision` that was written without the log */
export async function findGap(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<number | undefined> {
  const [gap] = await tx.query<{ to: number }>(
    `SELECT (details -> 'gap' ->> 'to')::bigint AS "to" FROM resource.changes
      WHERE namespace_key = $1 AND revision > $2 AND (details -> 'gap' ->> 'to')::bigint > $2
      ORDER BY revision LIMIT 1`,
    [namespaceKey, revision],
  )
  return gap?.to
}

interface FlagOrSegment extends ChangedRecord {
  readonly kind: 'flag' | 'segment'
}

/** One that has not changed since. */
interface Present extends FlagOrSegment {
  readonly bytes: number
  readonly revision: null
}

/** One that has: it is the `before` of an item. */
interface Past extends FlagOrSegment, ItemPlace {}

/** A flag or segment of a past state. */
export type PastObject = Present | Past

export function isPast(object: PastObject): object is Past {
  return object.revision !== null
}

/**
 * The flags and segments of a namespace as of a revision: of each the `before` of its first change after it,
 * or what it is now. So it takes as long as what has changed since.
 *
 * @param after the place after which to begin
 */
export function listPast(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
  after: readonly [kind: string, key: string],
  limit: number,
): Promise<PastObject[]> {
  const present = (kind: string) => `
    SELECT '${kind}' AS kind, key, held_bytes AS bytes, NULL::bigint AS revision,
           NULL::integer AS place, 0 AS "storedBytes"
      FROM resource.${kind}s AS o
     WHERE namespace_key = $1
       AND NOT EXISTS (SELECT FROM later WHERE later.kind = '${kind}' AND later.key = o.key)`
  return tx.query<PastObject>(
    `WITH later AS MATERIALIZED (
       SELECT DISTINCT ON (kind, key) kind, key, revision, place FROM resource.change_items
        WHERE namespace_key = $1 AND revision > $2 AND kind <> 'namespace'
        ORDER BY kind, key, revision)
     SELECT *
       FROM (${present('flag')} UNION ALL ${present('segment')} UNION ALL
             SELECT i.kind, i.key, NULL, i.revision, i.place, ${storedBytes}
               FROM later JOIN resource.change_items AS i
                 ON i.namespace_key = $1 AND i.revision = later.revision AND i.place = later.place
              WHERE i.before IS NOT NULL) AS object
      WHERE (kind COLLATE "C", key COLLATE "C") > ($3, $4)
      ORDER BY kind COLLATE "C", key COLLATE "C" LIMIT $5`,
    [namespaceKey, revision, ...after, limit],
  )
}

/**
 * The settings as of a revision: `null` when there was no such namespace; nothing when they have not changed
 * since.
 */
export async function readPastSettings(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<string | null | undefined> {
  const [item] = await tx.query<{ text: string | null }>(
    `SELECT before::text AS text FROM resource.change_items
      WHERE namespace_key = $1 AND kind = 'namespace' AND key = $1 AND revision > $2
      ORDER BY revision LIMIT 1`,
    [namespaceKey, revision],
  )
  return item?.text
}
