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
 * The choice in its one form, of keys that have been checked: a single segment, however it was named, is in `segmentKey`, and has
 * nothing to be combined with.
 *
 * @throws {AppError} when no segment is named, or in both ways
 */
export function toSegmentChoice(request: SegmentChoice): SegmentChoice {
  const { segmentKey, segmentKeys, segmentOperator } = request
  if (segmentKey === '' && segmentKeys.length === 0) throw invalidField(field, 'must not be empty')
  if (segmentKey !== '' && segmentKeys.length > 0) {
    throw invalidField(field, 'only one can be present')
  }
  const keys = segmentKey === '' ? [...new Set(segmentKeys)] : [segmentKey]
  return {
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
