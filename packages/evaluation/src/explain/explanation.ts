import type { Reason } from '../records.ts'

/** How an evaluation comes about: `Explanation` of `svc.insight.v1`, its members in that order. */
export interface Explanation {
  readonly namespaceKey: string
  readonly flagKey: string
  readonly entityId: string
  /** Of the namespace. */
  readonly revision: number
  /** Of the places of entities: 1 is CRC-32, as in `bucket.ts`. */
  readonly algorithm: 1
  readonly type: 'BOOLEAN_FLAG_TYPE' | 'VARIANT_FLAG_TYPE'
  /** The flag's own state. */
  readonly enabled: boolean
  /** Of a boolean flag. */
  readonly boolean?: BooleanOutcome
  /** Of a variant flag. */
  readonly variant?: VariantOutcome
  readonly reason: Reason
  readonly segmentKeys: readonly string[]
  /** By rank, also those that were not reached. */
  readonly steps: readonly Step[]
  /** The place of the step that decided, from 1; 0 when none did. */
  readonly decidedBy: number
  readonly notes: readonly Note[]
}

export interface BooleanOutcome {
  readonly enabled: boolean
}

export interface VariantOutcome {
  readonly match: boolean
  /** Empty when nothing is served. */
  readonly variantKey: string
  /** JSON text, or empty. */
  readonly variantAttachment: string
}

/** What is served, and why. */
export interface Outcome {
  readonly boolean?: BooleanOutcome
  readonly variant?: VariantOutcome
  readonly reason: Reason
  readonly segmentKeys: readonly string[]
}

export type Verdict =
  | 'NOT_REACHED_VERDICT'
  | 'NOT_MATCHED_VERDICT'
  | 'MATCHED_VERDICT'
  | 'BEYOND_VERDICT'

/** A rule or rollout. */
export interface Step {
  /** From 1. */
  readonly place: number
  readonly verdict: Verdict
  readonly operator: 'AND_SEGMENT_OPERATOR' | 'OR_SEGMENT_OPERATOR'
  readonly segments: readonly SegmentFinding[]
  readonly bucket?: Bucket
  readonly serves: string
}

export interface SegmentFinding {
  readonly key: string
  readonly exists: boolean
  readonly matchType: 'ALL_MATCH_TYPE' | 'ANY_MATCH_TYPE'
  /** Whether the entity belongs to it. */
  readonly member: boolean
  readonly constraints: readonly ConstraintFinding[]
}

export type Cause =
  | 'COMPARED_CAUSE'
  | 'ABSENT_CAUSE'
  | 'UNREADABLE_ACTUAL_CAUSE'
  | 'UNREADABLE_VALUE_CAUSE'
  | 'UNKNOWN_OPERATOR_CAUSE'

export interface ConstraintFinding {
  readonly type: string
  readonly property: string
  readonly operator: string
  readonly value: string
  /** Left out: the context does not have it. */
  readonly actual?: string
  readonly holds: boolean
  /** Whether it settled the segment. */
  readonly decisive: boolean
  readonly cause: Cause
}

/** Where the entity stands among the places of the flag. */
export interface Bucket {
  readonly place: number
  readonly places: number
  readonly by: 'entityId'
  readonly of: string
  readonly shares: readonly Share[]
}

export interface Share {
  readonly serves: string
  readonly from: number
  /** The first place after it. */
  readonly to: number
  /** Whether the entity stands in it. */
  readonly chosen: boolean
}

export type NoteKind =
  | 'FLAG_DISABLED_NOTE'
  | 'STATE_OVERRULED_NOTE'
  | 'NO_ENTITY_NOTE'
  | 'MISSING_SEGMENT_NOTE'
  | 'MISSING_VARIANT_NOTE'
  | 'SHARES_END_NOTE'
  | 'NO_SHARES_NOTE'
  | 'NO_DEFAULT_NOTE'
  | 'STEPS_LEFT_OUT_NOTE'

export interface Note {
  readonly kind: NoteKind
  /** Of the step that it is about, from 1; 0 when it is about the flag. */
  readonly place: number
  /** For people. */
  readonly text: string
}
