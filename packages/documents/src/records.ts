import type { FlagRecord, SegmentRecord } from '@svc/evaluation'
import type {
  FlagDocument,
  RolloutDocument,
  RuleDocument,
  SegmentDocument,
} from '@svc/proto/resource/v1/documents'

/**
 * A flag as the engine takes it, so that it can be evaluated and explained before it is stored. A
 * variant's id is its key, for variants of a draft may have none; a distribution of a variant that the
 * flag does not have serves none. Percentages are 32-bit floats, as they are stored: at the bound of two places the
 * decimal of a document may be on the other side. The record says nothing of its creation.
 */
export function toFlagRecord(flag: FlagDocument): FlagRecord {
  const { key, type, enabled, variants, rules, rollouts } = flag
  const defaultVariant = variants.find((variant) => variant.default)
  return {
    key,
    type,
    enabled,
    variants: variants.map(({ key, attachment }) => ({ id: key, key, attachment })),
    defaultVariant: defaultVariant && { id: defaultVariant.key },
    rules: rules.map(toRule),
    rollouts: rollouts.map(toRollout),
  }
}

/** A segment as the engine takes it. */
export function toSegmentRecord({ key, matchType, constraints }: SegmentDocument): SegmentRecord {
  return { key, matchType, constraints }
}

function toRule(rule: RuleDocument, place: number): FlagRecord['rules'][number] {
  return {
    rank: place + 1,
    ...toSegments(rule),
    distributions: rule.distributions.map(({ variant, rollout }) => ({
      variantId: variant,
      rollout: Math.fround(rollout),
    })),
  }
}

function toRollout(
  { segment, threshold }: RolloutDocument,
  place: number,
): FlagRecord['rollouts'][number] {
  return {
    rank: place + 1,
    segment: segment && { ...toSegments(segment), value: segment.value },
    threshold: threshold && { ...threshold, percentage: Math.fround(threshold.percentage) },
  }
}

/** The form in which gateways have it, so that both say the same of it. */
function toSegments({ segments, operator }: Pick<RuleDocument, 'segments' | 'operator'>) {
  const [segmentKey = '', ...others] = segments
  return others.length === 0
    ? { segmentKey, segmentKeys: [], segmentOperator: operator }
    : { segmentKey: '', segmentKeys: segments, segmentOperator: operator }
}
