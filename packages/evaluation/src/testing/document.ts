import type {
  FlagRecord,
  RolloutRecord,
  RuleRecord,
  SegmentRecord,
  SegmentsRecord,
} from '../records.ts'

/** A namespace in the form of the import files: references by key, attachments as values. */
export interface VectorDocument {
  readonly version: string
  readonly namespace: { readonly key: string; readonly name: string }
  readonly flags: readonly DocumentFlag[]
  readonly segments: readonly DocumentSegment[]
}

export interface DocumentFlag {
  readonly key: string
  readonly name: string
  readonly type: 'BOOLEAN_FLAG_TYPE' | 'VARIANT_FLAG_TYPE'
  readonly enabled: boolean
  readonly variants?: readonly DocumentVariant[]
  readonly rules?: readonly DocumentRule[]
  readonly rollouts?: readonly DocumentRollout[]
}

export interface DocumentVariant {
  readonly key: string
  readonly name: string
  /** Any JSON value; its compact text is the variant's attachment. */
  readonly attachment?: unknown
  readonly default?: boolean
}

export interface DocumentRule {
  readonly segment: string | DocumentSegments
  readonly distributions: readonly { readonly variant: string; readonly rollout: number }[]
}

export interface DocumentSegments {
  readonly keys: readonly string[]
  readonly operator: 'AND_SEGMENT_OPERATOR' | 'OR_SEGMENT_OPERATOR'
}

export interface DocumentRollout {
  readonly segment?: ({ readonly key: string } | DocumentSegments) & { readonly value: boolean }
  readonly threshold?: { readonly percentage: number; readonly value: boolean }
}

export interface DocumentSegment {
  readonly key: string
  readonly name: string
  readonly match_type: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE'
  readonly constraints?: readonly DocumentConstraint[]
}

export interface DocumentConstraint {
  readonly type: string
  readonly property: string
  readonly operator: string
  readonly value?: string
}

/** A document as the records that the engine takes; a variant's id is its key. */
export function toRecords({ flags, segments }: VectorDocument): {
  flags: FlagRecord[]
  segments: SegmentRecord[]
} {
  return { flags: flags.map(toFlag), segments: segments.map(toSegment) }
}

/** The text that stands for a variant's attachment; empty when it has none. */
export function attachmentText({ attachment }: DocumentVariant): string {
  return attachment === undefined ? '' : JSON.stringify(attachment)
}

function toFlag({ key, type, enabled, variants = [], rules = [], rollouts = [] }: DocumentFlag) {
  const defaultVariant = variants.find((variant) => variant.default)
  return {
    key,
    type,
    enabled,
    variants: variants.map((variant) => ({
      id: variant.key,
      key: variant.key,
      attachment: attachmentText(variant),
    })),
    defaultVariant: defaultVariant && { id: defaultVariant.key },
    rules: rules.map(toRule),
    rollouts: rollouts.map(toRollout),
  }
}

function toRule({ segment, distributions }: DocumentRule, position: number): RuleRecord {
  return {
    rank: position + 1,
    ...toSegments(typeof segment === 'string' ? { key: segment } : segment),
    distributions: distributions.map(({ variant, rollout }) => ({ variantId: variant, rollout })),
  }
}

function toRollout({ segment, threshold }: DocumentRollout, position: number): RolloutRecord {
  return {
    rank: position + 1,
    segment: segment && { ...toSegments(segment), value: segment.value },
    threshold,
  }
}

function toSegments(segment: { readonly key: string } | DocumentSegments): SegmentsRecord {
  return 'keys' in segment
    ? { segmentKey: '', segmentKeys: segment.keys, segmentOperator: segment.operator }
    : { segmentKey: segment.key, segmentKeys: [], segmentOperator: 'OR_SEGMENT_OPERATOR' }
}

function toSegment({ key, match_type, constraints = [] }: DocumentSegment): SegmentRecord {
  return {
    key,
    matchType: match_type,
    constraints: constraints.map(({ type, property, operator, value = '' }) => ({
      type,
      property,
      operator,
      value,
    })),
  }
}
