import type { Context } from './context.ts'
import { lean } from './lean.ts'
import type { SegmentsRecord } from './records.ts'
import { type Segment, segmentMatches } from './segment.ts'

/** Which segments an entity must belong to. */
export interface Condition {
  readonly segments: readonly Segment[]
  readonly needsAll: boolean
  /** The keys of all its segments. */
  readonly keys: readonly string[]
}

/** @returns `undefined` when there are no segments: nobody belongs to none */
export function compileCondition(
  { segmentKey, segmentKeys, segmentOperator }: SegmentsRecord,
  findSegment: (key: string) => Segment,
): Condition | undefined {
  const single = segmentKeys.length > 1 ? undefined : (segmentKeys[0] ?? segmentKey)
  if (single === '') return undefined
  if (single !== undefined) {
    const segment = findSegment(single)
    return { segments: lean([segment]), needsAll: true, keys: segment.keys }
  }
  const segments = segmentKeys.map(findSegment)
  return {
    segments: lean(segments),
    needsAll: segmentOperator === 'AND_SEGMENT_OPERATOR',
    keys: lean(segments.map(({ key }) => key)),
  }
}

/**
 * The keys of the segments that an entity belongs to, in the order of the list, or `undefined` when
 * the condition does not hold. With a segment that does not exist it never holds.
 */
export function matchingKeys(
  condition: Condition,
  entityId: string,
  context: Context,
): readonly string[] | undefined {
  return condition.needsAll
    ? keysOfAll(condition, entityId, context)
    : keysOfAny(condition, entityId, context)
}

function keysOfAll({ segments, keys }: Condition, entityId: string, context: Context) {
  for (const segment of segments) {
    if (!segment.exists || !segmentMatches(segment, entityId, context)) return undefined
  }
  return keys
}

function keysOfAny({ segments }: Condition, entityId: string, context: Context) {
  let keys: string[] | undefined
  for (const segment of segments) {
    if (!segment.exists) return undefined
    if (!segmentMatches(segment, entityId, context)) continue
    keys ??= []
    keys.push(segment.key)
  }
  return keys
}
