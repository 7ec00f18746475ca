export { compactAttachment } from './attachment.ts'
export { canonicalText } from './canonical.ts'
export { type ComparisonOperator, operatorsOf } from './comparisons.ts'
export { diffDocuments } from './diff.ts'
export { DocumentError } from './document-error.ts'
export { adoptIds } from './ids.ts'
export { patchDocument } from './merge-patch.ts'
export {
  type Content,
  type PromotedKind,
  type PromotedObject,
  type PromotePlan,
  type PromoteRequest,
  planPromotion,
  promotedContent,
  type Resolution,
  segmentKeysOf,
  type Verdict,
} from './promote.ts'
export { findBases, type PromotionReader } from './promote-base.ts'
export { readDocument, toDocument } from './reading.ts'
export { toFlagRecord, toSegmentRecord } from './records.ts'
export type { DocumentOf, Kind } from './shapes.ts'
