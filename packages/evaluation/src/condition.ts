import type { Entity } from './entity.ts'
import type { SegmentsRecord } from './records.ts'
import { isMember, type Segment } from './segment.ts'

/** Which segments an entity must belong to. */
export interface Condition {
  readonly segments: readonly Segment[]
  readonly needsAll: boolean
  /** The keys of all its segments. */
  readonly keys: readonly string[]
}

/** For answers that no segment decided. Frozen, because they share it. */
export const noKeys: readonly string[] = Object.freeze([])

/** One without segments requires a segment that does not exist, and so never holds. */
export function compileCondition(
  { segmentKey, segmentKeys, segmentOperator }: SegmentsRecord,
  findSegment: (key: string) => Segment,
): Condition {
  if (segmentKeys.length <= 1) return findSegment(segmentKeys[0] ?? segmentKey).alone
  const needsAll = segmentOperator === 'AND_SEGMENT_OPERATOR'
  return { segments: segmentKeys.map(findSegment), needsAll, keys: Object.freeze([...segmentKeys]) }
}

/**
 * The keys of the segments that an entity belongs to, in the order of the list, or `undefined` when
 * the condition does not hold. With a segment that does not exist it never holds.
 */
export function matchingKeys(
  { segments, needsAll, keys }: Condition,
  entity: Entity,
): readonly string[] | undefined {
  const only = segments.length === 1 ? segments[0] : undefined
  if (only !== undefined) return isMember(only, entity) ? keys : undefined
  if (!needsAll) return keysOfAny(segments, entity)
  for (const segment of segments) if (!isMember(segment, entity)) return undefined
  return keys
}

function keysOfAny(segments: readonly Segment[], entity: Entity): readonly string[] | undefined {
  if (!segments.every(({ exists }) => exists)) return undefined
  const members = segments.filter((segment) => isMember(segment, entity))
  return members.length === 0 ? undefined : members.map(({ key }) => key)
}
