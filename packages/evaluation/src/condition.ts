import type { Entity } from './entity.ts'
import type { SegmentsRecord } from './records.ts'
import { isMember, type Segment } from './segment.ts'

/** Which segments an entity must belong to: mostly a single one, which then stands for itself. */
export type Condition = Segment | SegmentList

interface SegmentList {
  readonly segments: readonly Segment[]
  readonly needsAll: boolean
  /** The keys of all its segments. */
  readonly keys: readonly string[]
}

/** For answers that no segment decided. Frozen, for they share it. */
export const noKeys: readonly string[] = Object.freeze([])

/** @returns `undefined` when there are no segments: no entity belongs to none */
export function compileCondition(
  { segmentKey, segmentKeys, segmentOperator }: SegmentsRecord,
  findSegment: (key: string) => Segment,
): Condition | undefined {
  if (segmentKeys.length > 1) {
    const segments = segmentKeys.map(findSegment)
    const keys = Object.freeze(segments.map(({ key }) => key))
    return { segments, needsAll: segmentOperator === 'AND_SEGMENT_OPERATOR', keys }
  }
  const single = segmentKeys[0] ?? segmentKey
  return single === '' ? undefined : findSegment(single)
}

/** The segments of a condition, in the order of its list. */
export function segmentsIn(condition: Condition): readonly Segment[] {
  return condition.segments ?? [condition]
}

/**
 * The keys of the segments that an entity belongs to, in the order of the list, or `undefined` when
 * the condition does not hold. With a segment that does not exist it never holds.
 */
export function matchingKeys(condition: Condition, entity: Entity): readonly string[] | undefined {
  if (condition.segments === undefined) {
    return isMember(condition, entity) ? condition.keys : undefined
  }
  return condition.needsAll ? keysOfAll(condition, entity) : keysOfAny(condition, entity)
}

function keysOfAll({ segments, keys }: SegmentList, entity: Entity) {
  for (const segment of segments) {
    if (!isMember(segment, entity)) return undefined
  }
  return keys
}

function keysOfAny({ segments }: SegmentList, entity: Entity) {
  let keys: string[] | undefined
  for (const segment of segments) {
    if (!segment.exists) return undefined
    if (!isMember(segment, entity)) continue
    keys ??= []
    keys.push(segment.key)
  }
  return keys
}
