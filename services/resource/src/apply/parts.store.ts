import type { Queryable } from '@svc/database'

/** Rows of what flags or segments have, such as their variants. */
export interface PartTable {
  readonly table: string
  readonly owner: 'flag_key' | 'segment_key'
  /** What names a row besides its owner. */
  readonly key: readonly string[]
  /** The other columns, with their types. */
  readonly columns: Readonly<Record<string, string>>
  /** The order of their creation means something. */
  readonly isInOrder: boolean
}

/** A row by its columns. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Gives owners the rows that they should have. Rows that stay are updated in their place: they keep the
 * time of their creation, and nothing that refers to them is deleted. Where order matters, all of them get
 * new positions, which an INSERT draws in the order of its SELECT. Sent without a wait in between.
 *
 * @param owners whose rows are written
 * @param rows of all owners, in their order
 */
export async function writeParts(
  tx: Queryable,
  namespaceKey: string,
  { table, owner, key, columns, isInOrder }: PartTable,
  owners: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (owners.length === 0) return
  const keyed = [owner, ...key]
  const own = Object.keys(columns)
  const names = [...keyed, ...own]
  const keyTypes = keyed.map((name) => `${name} text`)
  const types = [...keyTypes, ...own.map((name) => `${name} ${columns[name]}`)]
  const set = [
    ...[...own, ...(isInOrder ? ['position'] : [])].map((name) => `${name} = excluded.${name}`),
    `updated_at = CASE WHEN (${own.map((name) => `t.${name}`)}) IS DISTINCT FROM
                            (${own.map((name) => `excluded.${name}`)})
                       THEN statement_timestamp() ELSE t.updated_at END`,
  ]
  const deletion = tx.query(
    `DELETE FROM resource.${table} AS t
      WHERE namespace_key = $1 AND ${owner} = ANY ($2::text[])
        AND NOT EXISTS (
              SELECT FROM json_to_recordset($3::json) AS r (${keyTypes})
               WHERE (${keyed.map((name) => `r.${name}`)}) = (${keyed.map((name) => `t.${name}`)}))`,
    [namespaceKey, owners, toJson(rows, keyed)],
  )
  await Promise.all([deletion, rows.length > 0 && insert()])

  function insert() {
    return tx.query(
      `INSERT INTO resource.${table} AS t (namespace_key, ${names})
       SELECT $1, ${names.map((name) => `r.${name}`)}
         FROM json_to_recordset($2::json) AS r (place integer, ${types}) ORDER BY r.place
       ON CONFLICT (namespace_key, ${keyed}) DO UPDATE SET ${set}`,
      [namespaceKey, toJson(rows, names)],
    )
  }
}

/** Gives rules or rollouts of flags the segments that they should have. */
export async function writeSegments(
  tx: Queryable,
  namespaceKey: string,
  kind: 'rule' | 'rollout',
  flagKeys: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (flagKeys.length === 0) return
  const deletion = tx.query(
    `DELETE FROM resource.${kind}_segments WHERE namespace_key = $1 AND flag_key = ANY ($2::text[])`,
    [namespaceKey, flagKeys],
  )
  const columns = `flag_key, ${kind}_id, segment_key, place`
  const insertion =
    rows.length > 0 &&
    tx.query(
      `INSERT INTO resource.${kind}_segments (namespace_key, ${columns})
       SELECT $1, ${columns} FROM json_to_recordset($2::json)
           AS r (flag_key text, ${kind}_id text, segment_key text, place integer)`,
      [namespaceKey, JSON.stringify(rows)],
    )
  await Promise.all([deletion, insertion])
}

/** With the place of each in the list. */
function toJson(rows: readonly Row[], names: readonly string[]): string {
  return JSON.stringify(
    rows.map((row, place) => {
      const picked: Record<string, unknown> = { place }
      for (const name of names) picked[name] = row[name]
      return picked
    }),
  )
}
