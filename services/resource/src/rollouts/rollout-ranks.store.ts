import type { Queryable } from '@svc/database'
import type { RolloutType } from '@svc/proto/resource/v1/rollouts'

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
