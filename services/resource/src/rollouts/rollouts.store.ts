import type { Queryable } from '@svc/database'
import { Rollout } from '@svc/proto/resource/v1/rollouts'
import { microseconds, toInstant } from '../instants.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../lists/paging.ts'
import { presentSegments, type SegmentChoice } from '../segments/segment-choice.ts'
import { rolloutNotFound } from './rollouts.errors.ts'

/** A rollout `o`, with all that either type has: what every reader of rollouts selects. */
const rolloutColumns = `
  o.id, o.namespace_key AS "namespaceKey", o.flag_key AS "flagKey", o.type, o.rank, o.description,
  ${microseconds('o.created_at')} AS "createdAt", ${microseconds('o.updated_at')} AS "updatedAt",
  o.value, o.percentage, o.segment_operator AS "segmentOperator", (
    SELECT json_agg(s.segment_key ORDER BY s.place)
      FROM resource.rollout_segments AS s
     WHERE s.namespace_key = o.namespace_key AND s.flag_key = o.flag_key
       AND s.rollout_id = o.id) AS segments`

interface RolloutRow
  extends Pick<Rollout, 'id' | 'namespaceKey' | 'flagKey' | 'type' | 'rank' | 'description'> {
  readonly createdAt: number
  readonly updatedAt: number
  readonly value: boolean
  readonly percentage: number | null
  readonly segmentOperator: SegmentChoice['segmentOperator'] | null
  readonly segments: string[] | null
}

function toRollout(row: RolloutRow): Rollout {
  const { value, percentage, segmentOperator, segments } = row
  const rollout = {
    id: row.id,
    namespaceKey: row.namespaceKey,
    flagKey: row.flagKey,
    type: row.type,
    rank: row.rank,
    description: row.description,
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
  }
  if (percentage !== null) return { ...rollout, threshold: { percentage, value } }
  const choice = {
    ...presentSegments(segments ?? []),
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
    columns: rolloutColumns,
    bytes: 'octet_length(o.description)',
    isNamespaceList: false,
    order: rolloutOrder,
    values: [namespaceKey, flagKey],
    toMessage: toRollout,
    messageType: Rollout,
  }
  return readPage(db, query, page)
}

/** The rollouts of flags, by flag and then in their order. */
export async function readRollouts(
  tx: Queryable,
  namespaceKey: string,
  flagKeys: readonly string[],
): Promise<Rollout[]> {
  const rows = await tx.query<RolloutRow>(
    `SELECT ${rolloutColumns} FROM resource.rollouts AS o
      WHERE o.namespace_key = $1 AND o.flag_key = ANY ($2::text[])
      ORDER BY o.flag_key, o.rank`,
    [namespaceKey, flagKeys],
  )
  return rows.map(toRollout)
}

/** @throws {AppError} `not_found` when the flag has no such rollout */
export async function getRollout(
  db: Queryable,
  namespaceKey: string,
  flagKey: string,
  id: string,
): Promise<Rollout> {
  const [row] = await db.query<RolloutRow>(
    `SELECT ${rolloutColumns} FROM resource.rollouts AS o
      WHERE o.namespace_key = $1 AND o.flag_key = $2 AND o.id = $3`,
    [namespaceKey, flagKey, id],
  )
  if (row === undefined) throw rolloutNotFound(namespaceKey, id)
  return toRollout(row)
}
