import type { FlagSetChange } from '../flag-set.ts'
import type {
  ConstraintRecord,
  FlagRecord,
  RolloutRecord,
  RuleRecord,
  SegmentRecord,
  SegmentsRecord,
} from '../records.ts'

export function booleanFlag(key: string, rollouts: readonly RolloutRecord[] = [], enabled = false) {
  return { ...emptyFlag(key), type: 'BOOLEAN_FLAG_TYPE', enabled, rollouts }
}

/** A variant flag with the variants `a`, `b` and `c`, their ids `id-a` and so on. */
export function variantFlag(key: string, rules: readonly RuleRecord[] = [], defaultKey?: string) {
  return {
    ...emptyFlag(key),
    enabled: true,
    variants: ['a', 'b', 'c'].map((variant) => ({
      id: `id-${variant}`,
      key: variant,
      attachment: `{"is":"${variant}"}`,
    })),
    defaultVariant: defaultKey === undefined ? undefined : { id: `id-${defaultKey}` },
    rules,
  }
}

export function threshold(rank: number, percentage: number, value = true): RolloutRecord {
  return { rank, threshold: { percentage, value } }
}

export function segmentRollout(rank: number, segments: SegmentsRecord, value = true) {
  return { rank, segment: { ...segments, value } }
}

/** A rule that serves variants by their keys. */
export function rule(
  rank: number,
  segments: SegmentsRecord,
  rollouts: readonly (readonly [string, number])[],
): RuleRecord {
  return {
    rank,
    ...segments,
    distributions: rollouts.map(([key, rollout]) => ({ variantId: `id-${key}`, rollout })),
  }
}

export function inOne(segmentKey: string): SegmentsRecord {
  return { segmentKey, segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
}

export function inAny(...segmentKeys: string[]): SegmentsRecord {
  return { segmentKey: '', segmentKeys, segmentOperator: 'OR_SEGMENT_OPERATOR' }
}

export function inAll(...segmentKeys: string[]): SegmentsRecord {
  return { segmentKey: '', segmentKeys, segmentOperator: 'AND_SEGMENT_OPERATOR' }
}

/** A segment of those whose `property` is `value`. */
export function segmentOf(key: string, property: string, value: string): SegmentRecord {
  return segment(key, [isText(property, value)])
}

export function segment(
  key: string,
  constraints: readonly ConstraintRecord[] = [],
  matchType = 'ALL_MATCH_TYPE',
): SegmentRecord {
  return { key, matchType, constraints }
}

export function isText(property: string, value: string): ConstraintRecord {
  return { type: 'STRING_COMPARISON_TYPE', property, operator: 'eq', value }
}

export function change(parts: Partial<FlagSetChange>): FlagSetChange {
  return { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [], ...parts }
}

function emptyFlag(key: string): FlagRecord {
  return {
    key,
    type: 'VARIANT_FLAG_TYPE',
    enabled: false,
    variants: [],
    rules: [],
    rollouts: [],
  }
}
