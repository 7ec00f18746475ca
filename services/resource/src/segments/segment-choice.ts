import type { Queryable } from '@svc/database'
import type { SegmentOperator } from '@svc/proto/resource/v1/segment_operators'
import { invalidField } from '@svc/runtime'

/** How a rule or a rollout names its segments: one of the two is empty. */
interface SegmentKeys {
  readonly segmentKey: string
  readonly segmentKeys: string[]
}

export interface SegmentChoice extends SegmentKeys {
  readonly segmentOperator: SegmentOperator
}

const field = 'segmentKey or segmentKeys'

/**
 * The choice in its one form, of keys that have been checked: a single segment, however it was named,
 * is in `segmentKey`, and has nothing to be combined with.
 *
 * @throws {AppError} when no segment is named, or in both ways
 */
export function toSegmentChoice<T extends SegmentChoice>(request: T): T {
  const { segmentKey, segmentKeys, segmentOperator } = request
  if (segmentKey === '' && segmentKeys.length === 0) throw invalidField(field, 'must not be empty')
  if (segmentKey !== '' && segmentKeys.length > 0) {
    throw invalidField(field, 'only one can be present')
  }
  const keys = segmentKey === '' ? [...new Set(segmentKeys)] : [segmentKey]
  return {
    ...request,
    ...presentSegments(keys),
    segmentOperator: keys.length === 1 ? 'OR_SEGMENT_OPERATOR' : segmentOperator,
  }
}

/** Where the keys of a rule's or rollout's segments appear in its message. */
export function presentSegments(keys: string[]): SegmentKeys {
  const [first = '', second] = keys
  return second === undefined
    ? { segmentKey: first, segmentKeys: [] }
    : { segmentKey: '', segmentKeys: keys }
}

/** The segments of a choice, the first named first. */
export function chosenSegments({ segmentKey, segmentKeys }: SegmentKeys): string[] {
  return segmentKey === '' ? segmentKeys : [segmentKey]
}

/** SQL of the keys of a record's segments, in their order. */
export function segmentsOf(kind: 'rule' | 'rollout'): string {
  return `(SELECT json_agg(segment_key ORDER BY place) FROM resource.${kind}_segments
      WHERE namespace_key = ${kind}s.namespace_key AND flag_key = ${kind}s.flag_key
        AND ${kind}_id = ${kind}s.id) AS segments`
}

/**
 * Replaces the segments of a rule or rollout.
 *
 * @throws {ConstraintViolation} of `segment_exists`
 */
export async function storeSegments(
  tx: Queryable,
  kind: 'rule' | 'rollout',
  { namespaceKey, flagKey, id }: Readonly<Record<'namespaceKey' | 'flagKey' | 'id', string>>,
  choice: SegmentKeys,
): Promise<void> {
  await tx.query(
    `DELETE FROM resource.${kind}_segments
      WHERE namespace_key = $1 AND flag_key = $2 AND ${kind}_id = $3`,
    [namespaceKey, flagKey, id],
  )
  await tx.query(
    `INSERT INTO resource.${kind}_segments (namespace_key, flag_key, ${kind}_id, segment_key, place)
     SELECT $1, $2, $3, chosen.key, chosen.place
       FROM unnest($4::text[]) WITH ORDINALITY AS chosen (key, place)`,
    [namespaceKey, flagKey, id, chosenSegments(choice)],
  )
}
