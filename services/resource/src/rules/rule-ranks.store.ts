import type { Queryable } from '@svc/database'
import type { DeleteRuleRequest } from '@svc/proto/resource/v1/rules'

/** The ids of a flag's rules. */
export async function listRuleIds(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    'SELECT id FROM resource.rules WHERE namespace_key = $1 AND flag_key = $2',
    [namespaceKey, flagKey],
  )
  return rows.map(({ id }) => id)
}

/** Ranks the rules of a flag as they are listed, from 1. */
export async function rankRules(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  ids: readonly string[],
): Promise<void> {
  await db.query(
    `UPDATE resource.rules AS r
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM unnest($3::text[]) WITH ORDINALITY AS wanted (id, rank)
      WHERE r.namespace_key = $1 AND r.flag_key = $2 AND r.id = wanted.id`,
    [namespaceKey, flagKey, ids],
  )
}

/** With its distributions; the rules that are left are ranked from 1. @returns whether there was one */
export async function deleteRule(
  db: Queryable,
  { namespaceKey, flagKey, id }: DeleteRuleRequest,
): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM resource.rules
      WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id`,
    [namespaceKey, flagKey, id],
  )
  if (rows.length === 0) return false
  await db.query(
    `UPDATE resource.rules AS r
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM (SELECT id, row_number() OVER (ORDER BY rank, position) AS rank
               FROM resource.rules WHERE namespace_key = $1 AND flag_key = $2) AS wanted
      WHERE r.namespace_key = $1 AND r.flag_key = $2
        AND r.id = wanted.id AND r.rank <> wanted.rank`,
    [namespaceKey, flagKey],
  )
  return true
}
