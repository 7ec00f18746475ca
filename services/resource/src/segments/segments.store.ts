import type { Queryable } from '@svc/database'
import {
  type CreateSegmentRequest,
  Segment,
  type UpdateSegmentRequest,
} from '@svc/proto/resource/v1/segments'
import {
  type ConstraintRow,
  constraintColumns,
  toConstraint,
} from '../constraints/constraints.store.ts'
import { microseconds, toInstant } from '../instants.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../lists/paging.ts'
import { onlyRow } from '../rows.ts'
import { segmentNotFound } from './segments.ts'

/** A segment `s` with its constraints: what every reader of segments selects. */
const segmentColumns = `
  s.key, s.name, s.description, s.match_type AS "matchType", s.namespace_key AS "namespaceKey",
  ${microseconds('s.created_at')} AS "createdAt", ${microseconds('s.updated_at')} AS "updatedAt", (
    SELECT json_agg(${constraintColumns} ORDER BY c.position)
      FROM resource.constraints AS c
     WHERE c.namespace_key = s.namespace_key AND c.segment_key = s.key) AS constraints`

interface SegmentRow
  extends Pick<Segment, 'key' | 'name' | 'description' | 'matchType' | 'namespaceKey'> {
  readonly createdAt: number
  readonly updatedAt: number
  readonly constraints: readonly ConstraintRow[] | null
}

function toSegment(row: SegmentRow): Segment {
  const { key, namespaceKey } = row
  const names = { namespaceKey, segmentKey: key }
  return {
    key,
    name: row.name,
    description: row.description,
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
    constraints: row.constraints?.map((constraint) => toConstraint(names, constraint)) ?? [],
    matchType: row.matchType,
    namespaceKey,
  }
}

export const segmentOrder = ['position']

export function listSegments(
  db: Queryable,
  namespaceKey: string,
  page: Page,
): Promise<PageOf<Segment>> {
  const query: ListQuery<SegmentRow, Segment> = {
    from: ['resource.segments', 's'],
    where: 's.namespace_key = $1',
    columns: segmentColumns,
    bytes: 's.held_bytes',
    order: segmentOrder,
    values: [namespaceKey],
    isNamespaceList: true,
    toMessage: toSegment,
    messageType: Segment,
  }
  return readPage(db, query, page)
}

/** Those of the segments that exist, each with the revision of its last change. */
export async function readSegments(
  tx: Queryable,
  namespaceKey: string,
  keys: readonly string[],
): Promise<{ revision: number; segment: Segment }[]> {
  const rows = await tx.query<SegmentRow & { revision: number }>(
    `SELECT s.revision, ${segmentColumns} FROM resource.segments AS s
      WHERE s.namespace_key = $1 AND s.key = ANY ($2::text[])`,
    [namespaceKey, keys],
  )
  return rows.map((row) => ({ revision: row.revision, segment: toSegment(row) }))
}

/** @throws {AppError} `not_found` when there is none */
export async function getSegment(
  db: Queryable,
  namespaceKey: string,
  key: string,
): Promise<Segment> {
  const [row] = await db.query<SegmentRow>(
    `SELECT ${segmentColumns}
       FROM resource.segments AS s WHERE s.namespace_key = $1 AND s.key = $2`,
    [namespaceKey, key],
  )
  if (row === undefined) throw segmentNotFound(namespaceKey, key)
  return toSegment(row)
}

/** @returns the first of the keys that is the key of no segment */
export async function findMissingSegment(
  db: Queryable,
  namespaceKey: string,
  keys: readonly string[],
): Promise<string | undefined> {
  const [missing] = await db.query<{ key: string }>(
    `SELECT wanted.key
       FROM unnest($2::text[]) WITH ORDINALITY AS wanted (key, place)
      WHERE NOT EXISTS (
              SELECT FROM resource.segments WHERE namespace_key = $1 AND key = wanted.key)
      ORDER BY wanted.place LIMIT 1`,
    [namespaceKey, keys],
  )
  return missing?.key
}

/** @throws {ConstraintViolation} of `segment_is_unique` */
export async function insertSegmentRow(
  db: Queryable,
  { namespaceKey, key, name, description, matchType }: CreateSegmentRequest,
): Promise<Segment> {
  const rows = await db.query<SegmentRow>(
    `INSERT INTO resource.segments AS s (namespace_key, key, name, description, match_type)
     VALUES ($1, $2, $3, $4, $5)
     RETURNING ${segmentColumns}`,
    [namespaceKey, key, name, description, matchType],
  )
  return toSegment(onlyRow(rows))
}

/** @returns the segment as it now is, or `undefined` when there is none to update */
export async function updateSegmentRow(
  db: Queryable,
  { namespaceKey, key, name, description, matchType }: UpdateSegmentRequest,
): Promise<Segment | undefined> {
  const [row] = await db.query<SegmentRow>(
    `UPDATE resource.segments AS s
        SET name = $3, description = $4, match_type = $5, updated_at = statement_timestamp()
      WHERE s.namespace_key = $1 AND s.key = $2
      RETURNING ${segmentColumns}`,
    [namespaceKey, key, name, description, matchType],
  )
  return row && toSegment(row)
}

/**
 * With its constraints.
 *
 * @returns how many bytes it took, or `undefined` when there was none
 * @throws {ConstraintViolation} of `segment_exists` when a rule or rollout uses it
 */
export async function deleteSegmentRow(
  db: Queryable,
  namespaceKey: string,
  key: string,
): Promise<number | undefined> {
  const [row] = await db.query<{ bytes: number }>(
    'DELETE FROM resource.segments WHERE namespace_key = $1 AND key = $2 RETURNING held_bytes AS bytes',
    [namespaceKey, key],
  )
  return row?.bytes
}
