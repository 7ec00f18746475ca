import type { Queryable } from '@svc/database'
import { checkSameSet } from './ordering.ts'

/** What a flag has in an order of its own; those of the same rank in the order of their creation. */
type RankedTable = 'rules' | 'rollouts'

interface FlagName {
  readonly namespaceKey: string
  readonly flagKey: string
}

/**
 * Ranks what a flag has as it is listed, from 1.
 *
 * @param field what the list is called in messages
 * @throws {AppError} unless `ids` are those that the flag has, each once
 */
export async function putInOrder(
  tx: Queryable,
  table: RankedTable,
  { namespaceKey, flagKey }: FlagName,
  field: string,
  ids: readonly string[],
): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM resource.${table} WHERE namespace_key = $1 AND flag_key = $2`,
    [namespaceKey, flagKey],
  )
  checkSameSet(
    field,
    ids,
    rows.map(({ id }) => id),
  )
  await tx.query(
    `UPDATE resource.${table} AS r
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM unnest($3::text[]) WITH ORDINALITY AS wanted (id, rank)
      WHERE r.namespace_key = $1 AND r.flag_key = $2 AND r.id = wanted.id`,
    [namespaceKey, flagKey, ids],
  )
}

/** With all that it has; those that are left are ranked from 1. @returns whether there was one */
export async function deleteRanked(
  tx: Queryable,
  table: RankedTable,
  { namespaceKey, flagKey, id }: FlagName & { readonly id: string },
): Promise<boolean> {
  const rows = await tx.query(
    `DELETE FROM resource.${table}
      WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id`,
    [namespaceKey, flagKey, id],
  )
  if (rows.length === 0) return false
  await tx.query(
    `UPDATE resource.${table} AS r
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM (SELECT id, row_number() OVER (ORDER BY rank, position) AS rank
               FROM resource.${table} WHERE namespace_key = $1 AND flag_key = $2) AS wanted
      WHERE r.namespace_key = $1 AND r.flag_key = $2
        AND r.id = wanted.id AND r.rank <> wanted.rank`,
    [namespaceKey, flagKey],
  )
  return true
}
