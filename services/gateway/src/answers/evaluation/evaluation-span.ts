import type {
  BooleanEvaluation,
  CompiledFlag,
  Entity,
  Reason,
  VariantEvaluation,
} from '@svc/evaluation'
import { type Attributes, activeSpan } from '@svc/telemetry'

/** As OpenTelemetry names the reasons of evaluations. */
const reasons: Readonly<Record<Reason, string>> = {
  MATCH_EVALUATION_REASON: 'targeting_match',
  FLAG_DISABLED_EVALUATION_REASON: 'disabled',
  DEFAULT_EVALUATION_REASON: 'default',
  UNKNOWN_EVALUATION_REASON: 'unknown',
}

/** A flag, and what came of it for an entity. */
interface Evaluated {
  readonly namespaceKey: string
  readonly flag: CompiledFlag
  readonly entity: Entity
  readonly evaluation: BooleanEvaluation | VariantEvaluation
}

/**
 * Says on the span of its request what came of a flag, where that is recorded: as attributes of a request
 * for one flag, as an event each of one for several.
 */
export function noteOnSpan(evaluated: Evaluated, isOnlyOne: boolean): void {
  const span = activeSpan()
  if (span === undefined) return
  const attributes = attributesOf(evaluated)
  if (isOnlyOne) span.setAttributes(attributes)
  else span.addEvent('feature_flag.evaluation', attributes)
}

function attributesOf({ namespaceKey, flag, entity, evaluation }: Evaluated): Attributes {
  const isBoolean = 'enabled' in evaluation
  return {
    'feature_flag.key': flag.key,
    'feature_flag.provider.name': 'svc',
    'feature_flag.set.id': namespaceKey,
    'feature_flag.context.id': entity.id,
    'feature_flag.result.variant': isBoolean ? String(evaluation.enabled) : evaluation.variantKey,
    'feature_flag.result.reason': reasons[evaluation.reason],
    'svc.segments': [...evaluation.segmentKeys],
    ...(!isBoolean && { 'svc.match': evaluation.match }),
  }
}
