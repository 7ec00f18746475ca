export { type BooleanEvaluation, type BooleanFlag, evaluateBoolean } from './boolean-flag.ts'
export { type Context, toContext } from './context.ts'
export { parseDatetime } from './datetime.ts'
export { type Entity, toEntity } from './entity.ts'
export type { CompiledFlag } from './flag.ts'
export { FlagSet, type FlagSetChange } from './flag-set.ts'
export { parseNumber } from './number.ts'
export type { Reason } from './reason.ts'
export type {
  ConstraintRecord,
  FlagRecord,
  RolloutRecord,
  RuleRecord,
  SegmentRecord,
  SegmentsRecord,
  VariantRecord,
} from './records.ts'
export { evaluateVariant, type VariantEvaluation, type VariantFlag } from './variant-flag.ts'
