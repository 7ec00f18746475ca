import type { Queryable } from '@svc/database'
import {
  type CreateSegmentRequest,
  Segment,
  type UpdateSegmentRequest,
} from '@svc/proto/resource/v1/segments'
import { constraintJson } from '../constraints/constraints.store.ts'
import { type ListQuery, type Page, type PageOf, readPage } from '../paging.ts'
import { onlyRow } from '../rows.ts'
import { segmentNotFound } from './segments.ts'

/** The message of a segment `s`. */
export const segmentJson = `json_build_object(
  'key', s.key,
  'name', s.name,
  'description', s.description,
  'createdAt', resource.instant(s.created_at),
  'updatedAt', resource.instant(s.updated_at),
  'constraints', (
    SELECT coalesce(json_agg(${constraintJson} ORDER BY c.position), '[]')
      FROM resource.constraints AS c
     WHERE c.namespace_key = s.namespace_key AND c.segment_key = s.key),
  'matchType', s.match_type,
  'namespaceKey', s.namespace_key)`

interface Row {
  segment: Segment
}

export const segmentOrder = ['position']

const segmentBytes = `octet_length(s.description) + (
  SELECT coalesce(sum(octet_length(c.value) + octet_length(c.description)), 0)
    FROM resource.constraints AS c
   WHERE c.namespace_key = s.namespace_key AND c.segment_key = s.key)`

export function listSegments(
  db: Queryable,
  namespaceKey: string,
  page: Page,
): Promise<PageOf<Segment>> {
  const query: ListQuery<Segment, Segment> = {
    from: ['resource.segments', 's'],
    where: 's.namespace_key = $1',
    item: segmentJson,
    bytes: segmentBytes,
    order: segmentOrder,
    values: [namespaceKey],
    toMessage: (segment) => segment,
    messageType: Segment,
  }
  return readPage(db, query, page)
}

/** @throws {AppError} `not_found` when there is none */
export async function getSegment(
  db: Queryable,
  namespaceKey: string,
  key: string,
): Promise<Segment> {
  const [row] = await db.query<Row>(
    `SELECT ${segmentJson} AS segment
       FROM resource.segments AS s WHERE s.namespace_key = $1 AND s.key = $2`,
    [namespaceKey, key],
  )
  if (row === undefined) throw segmentNotFound(namespaceKey, key)
  return row.segment
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
  const rows = await db.query<Row>(
    `INSERT INTO resource.segments AS s (namespace_key, key, name, description, match_type)
     VALUES ($1, $2, $3, $4, $5)
     RETURNING ${segmentJson} AS segment`,
    [namespaceKey, key, name, description, matchType],
  )
  return onlyRow(rows).segment
}

/** @returns the segment as it now is, or `undefined` when there is none to update */
export async function updateSegmentRow(
  db: Queryable,
  { namespaceKey, key, name, description, matchType }: UpdateSegmentRequest,
): Promise<Segment | undefined> {
  const [row] = await db.query<Row>(
    `UPDATE resource.segments AS s
        SET name = $3, description = $4, match_type = $5, updated_at = statement_timestamp()
      WHERE s.namespace_key = $1 AND s.key = $2
      RETURNING ${segmentJson} AS segment`,
    [namespaceKey, key, name, description, matchType],
  )
  return row?.segment
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
