import type { Queryable } from '@svc/database'
import { Rollout } from '@svc/proto/resource/v1/rollouts'
import { type ListQuery, type Page, type PageOf, readPage } from '../paging.ts'
import { presentSegments, type SegmentChoice } from '../segments/segment-choice.ts'
import { rolloutNotFound } from './rollouts.errors.ts'

/** The message of a rollout `o`, but for what {@link toRollout} does. */
export const rolloutJson = `json_build_object(
  'id', o.id,
  'namespaceKey', o.namespace_key,
  'flagKey', o.flag_key,
  'type', o.type,
  'rank', o.rank,
  'description', o.description,
  'createdAt', resource.instant(o.created_at),
  'updatedAt', resource.instant(o.updated_at),
  'value', o.value,
  'percentage', o.percentage,
  'segmentOperator', o.segment_operator,
  'segments', (
    SELECT coalesce(json_agg(s.segment_key ORDER BY s.place), '[]')
      FROM resource.rollout_segments AS s
     WHERE s.namespace_key = o.namespace_key AND s.flag_key = o.flag_key AND s.rollout_id = o.id))`

/** A rollout as {@link rolloutJson} gives it: with everything that either kind has. */
export type RolloutRow = Omit<Rollout, 'segment' | 'threshold'> & {
  readonly value: boolean
  readonly percentage: number | null
  readonly segmentOperator: SegmentChoice['segmentOperator'] | null
  readonly segments: string[]
}

export function toRollout(row: RolloutRow): Rollout {
  const { value, percentage, segmentOperator, segments, ...rollout } = row
  if (percentage !== null) return { ...rollout, threshold: { percentage, value } }
  const choice = {
    ...presentSegments(segments),
    segmentOperator: segmentOperator ?? 'OR_SEGMENT_OPERATOR',
  }
  return { ...rollout, segment: { ...choice, value } }
}

export const rolloutOrder = ['rank', 'position']

export function listRollouts(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  page: Page,
): Promise<PageOf<Rollout>> {
  const query: ListQuery<RolloutRow, Rollout> = {
    from: ['resource.rollouts', 'o'],
    where: 'o.namespace_key = $1 AND o.flag_key = $2',
    item: rolloutJson,
    bytes: 'octet_length(o.description)',
    order: rolloutOrder,
    values: [namespaceKey, flagKey],
    toMessage: toRollout,
    messageType: Rollout,
  }
  return readPage(db, query, page)
}

/** @throws {AppError} `not_found` when the flag has no such rollout */
export async function getRollout(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  id: string,
): Promise<Rollout> {
  const [row] = await db.query<{ rollout: RolloutRow }>(
    `SELECT ${rolloutJson} AS rollout FROM resource.rollouts AS o
      WHERE o.namespace_key = $1 AND o.flag_key = $2 AND o.id = $3`,
    [namespaceKey, flagKey, id],
  )
  if (row === undefined) throw rolloutNotFound(namespaceKey, id)
  return toRollout(row.rollout)
}
