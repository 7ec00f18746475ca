export { type BooleanEvaluation, type BooleanFlag, evaluateBoolean } from './boolean-flag.ts'
export { byCreation } from './creation-order.ts'
export { parseDatetime } from './datetime.ts'
export { type Context, type ContextValues, type Entity, toContext, toEntity } from './entity.ts'
export { type CompiledFlag, FlagSet, type FlagSetChange } from './flag-set.ts'
export { parseNumber } from './number.ts'
export type {
  ConstraintRecord,
  FlagRecord,
  FlagSource,
  Reason,
  RolloutRecord,
  RuleRecord,
  SegmentRecord,
  SegmentsRecord,
  VariantRecord,
} from './records.ts'
export { type ShareRollout, shareOn } from './share-on.ts'
export { shortestFloat } from './shortest-float.ts'
export { evaluateVariant, type VariantEvaluation, type VariantFlag } from './variant-flag.ts'
