/** Why an evaluation came out as it did. */
export type Reason =
  /** No rule decided, and there is no default variant. */
  | 'UNKNOWN_EVALUATION_REASON'
  /** The flag is off. Of variant flags only: a boolean flag's state is its value. */
  | 'FLAG_DISABLED_EVALUATION_REASON'
  /** A rule or rollout decided. */
  | 'MATCH_EVALUATION_REASON'
  /** No rule or rollout decided, so it is the flag's own state or its default variant. */
  | 'DEFAULT_EVALUATION_REASON'

/** A flag whose record is made when the flag is needed. */
export interface FlagSource {
  readonly key: string
  toRecord(): FlagRecord
}

/** What a compiled flag has of its record besides what decides. */
export interface FlagOrigin {
  readonly key: string
  /** In microseconds, as fine as the records are kept; exact for the next two centuries. */
  readonly createdAt: number
  readonly source: FlagSource | undefined
}

/**
 * What the engine reads of the records that the public interface shows, enums as their names.
 * Whatever else a record holds is ignored, and nothing of it is kept once it is compiled.
 */
export interface FlagRecord {
  readonly key: string
  /** `BOOLEAN_FLAG_TYPE`; anything else is a variant flag. */
  readonly type: string
  readonly enabled: boolean
  /** Its place among the flags of a set; those without come first. */
  readonly createdAt?: { readonly seconds: number; readonly nanos: number } | undefined
  readonly variants: readonly VariantRecord[]
  readonly defaultVariant?: { readonly id: string } | undefined
  readonly rules: readonly RuleRecord[]
  readonly rollouts: readonly RolloutRecord[]
}

export interface VariantRecord {
  readonly id: string
  readonly key: string
  /** JSON text, or empty. */
  readonly attachment: string
}

/** Either `segmentKey` or `segmentKeys`; the other one is empty. */
export interface SegmentsRecord {
  readonly segmentKey: string
  readonly segmentKeys: readonly string[]
  /** `AND_SEGMENT_OPERATOR`; anything else requires any one of the segments. */
  readonly segmentOperator: string
}

export interface RuleRecord extends SegmentsRecord {
  readonly rank: number
  /** In creation order, which decides which entity gets which variant. */
  readonly distributions: readonly { readonly variantId: string; readonly rollout: number }[]
}

export interface RolloutRecord {
  readonly rank: number
  readonly segment?: (SegmentsRecord & { readonly value: boolean }) | undefined
  readonly threshold?: { readonly percentage: number; readonly value: boolean } | undefined
}

export interface SegmentRecord {
  readonly key: string
  /** `ANY_MATCH_TYPE`; anything else requires all constraints. */
  readonly matchType: string
  readonly constraints: readonly ConstraintRecord[]
}

export interface ConstraintRecord {
  readonly type: string
  readonly property: string
  readonly operator: string
  readonly value: string
}
