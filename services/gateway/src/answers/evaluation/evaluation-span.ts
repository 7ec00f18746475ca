import type {
  BooleanEvaluation,
  CompiledFlag,
  Entity,
  Reason,
  VariantEvaluation,
} from '@svc/evaluation'
import { type Attributes, activeSpan, type Span } from '@svc/telemetry'

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

/** Maximum events of a span: of more the SDK would keep the last ones. */
const maxEvents = 32

/** How many events a span has. */
const eventCounts = new WeakMap<Span, number>()

/**
 * Says on the span of its request what came of a flag, where that is recorded: as attributes of a request
 * for one flag, as an event each of one for several, for the first of them.
 */
export function noteOnSpan(evaluated: Evaluated, isOnlyOne: boolean): void {
  const span = activeSpan()
  if (span === undefined) return
  if (isOnlyOne) {
    span.setAttributes(attributesOf(evaluated))
    return
  }
  const count = eventCounts.get(span) ?? 0
  if (count >= maxEvents) return
  eventCounts.set(span, count + 1)
  span.addEvent('feature_flag.evaluation', attributesOf(evaluated))
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
