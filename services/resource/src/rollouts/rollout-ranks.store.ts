import type { Queryable } from '@svc/database'
import type { DeleteRolloutRequest, RolloutType } from '@svc/proto/resource/v1/rollouts'

export interface RankedRollout {
  readonly id: string
  readonly rank: number
  readonly type: RolloutType
}

/** The rollouts of a flag, by rank. */
export function listRanks(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
): Promise<RankedRollout[]> {
  return db.query<RankedRollout>(
    `SELECT id, rank, type FROM resource.rollouts
      WHERE namespace_key = $1 AND flag_key = $2 ORDER BY rank`,
    [namespaceKey, flagKey],
  )
}

/** Ranks the rollouts of a flag as they are listed, from 1. */
export async function rankRollouts(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  ids: readonly string[],
): Promise<void> {
  await db.query(
    `UPDATE resource.rollouts AS o
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM unnest($3::text[]) WITH ORDINALITY AS wanted (id, rank)
      WHERE o.namespace_key = $1 AND o.flag_key = $2 AND o.id = wanted.id`,
    [namespaceKey, flagKey, ids],
  )
}

/** The rollouts that are left are ranked from 1. @returns whether there was one */
export async function deleteRollout(
  db: Queryable,
  { namespaceKey, flagKey, id }: DeleteRolloutRequest,
): Promise<boolean> {
  const rows = await db.query(
    `DELETE FROM resource.rollouts
      WHERE namespace_key = $1 AND flag_key = $2 AND id = $3 RETURNING id`,
    [namespaceKey, flagKey, id],
  )
  if (rows.length === 0) return false
  await db.query(
    `UPDATE resource.rollouts AS o
        SET rank = wanted.rank, updated_at = statement_timestamp()
       FROM (SELECT id, row_number() OVER (ORDER BY rank) AS rank
               FROM resource.rollouts WHERE namespace_key = $1 AND flag_key = $2) AS wanted
      WHERE o.namespace_key = $1 AND o.flag_key = $2
        AND o.id = wanted.id AND o.rank <> wanted.rank`,
    [namespaceKey, flagKey],
  )
  return true
}
