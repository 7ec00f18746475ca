import type { Queryable } from '@svc/database'
import type { CreateRolloutRequest, UpdateRolloutRequest } from '@svc/proto/resource/v1/rollouts'
import { onlyRow } from '../rows.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { typeOf } from './rollouts.ts'

/**
 * @returns the id of the rollout
 * @throws {ConstraintViolation} of `flag_exists`
 */
export async function insertRolloutRow(
  db: Queryable,
  rollout: CreateRolloutRequest,
): Promise<string> {
  const { namespaceKey, flagKey, rank, description, segment, threshold } = rollout
  const rows = await db.query<{ id: string }>(
    `WITH rollout AS (
       INSERT INTO resource.rollouts (namespace_key, flag_key, rank, description, type, value,
                                      segment_operator, percentage)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id),
     segments AS (
       INSERT INTO resource.rollout_segments
              (namespace_key, flag_key, rollout_id, segment_key, place)
       SELECT $1, $2, rollout.id, wanted.key, wanted.place
         FROM rollout, unnest($9::text[]) WITH ORDINALITY AS wanted (key, place))
     SELECT id FROM rollout`,
    [
      namespaceKey,
      flagKey,
      rank,
      description,
      typeOf(rollout),
      (segment ?? threshold)?.value ?? false,
      segment?.segmentOperator ?? null,
      threshold?.percentage ?? null,
      segment === undefined ? [] : chosenSegments(segment),
    ],
  )
  return onlyRow(rows).id
}

/** The rollout is there and of the same type, and so are the segments: the namespace is held. */
export async function updateRolloutRow(
  db: Queryable,
  { namespaceKey, flagKey, id, description, segment, threshold }: UpdateRolloutRequest,
): Promise<void> {
  await db.query(
    `UPDATE resource.rollouts
        SET description = $4, value = $5, segment_operator = $6, percentage = $7,
            updated_at = statement_timestamp()
      WHERE namespace_key = $1 AND flag_key = $2 AND id = $3`,
    [
      namespaceKey,
      flagKey,
      id,
      description ?? '',
      (segment ?? threshold)?.value ?? false,
      segment?.segmentOperator ?? null,
      threshold?.percentage ?? null,
    ],
  )
  if (segment === undefined) return
  await db.query(
    `DELETE FROM resource.rollout_segments
      WHERE namespace_key = $1 AND flag_key = $2 AND rollout_id = $3`,
    [namespaceKey, flagKey, id],
  )
  await db.query(
    `INSERT INTO resource.rollout_segments
            (namespace_key, flag_key, rollout_id, segment_key, place)
     SELECT $1, $2, $3, wanted.key, wanted.place
       FROM unnest($4::text[]) WITH ORDINALITY AS wanted (key, place)`,
    [namespaceKey, flagKey, id, chosenSegments(segment)],
  )
}
