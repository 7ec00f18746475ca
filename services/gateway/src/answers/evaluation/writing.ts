import type { BooleanEvaluation, VariantEvaluation } from '@svc/evaluation'
import { quote, quoteAll } from '../../http/json-text.ts'
import type { Timing } from './timing.ts'

/*
 * The answers that are given most, as JSON. They follow the messages in proto/svc/evaluation/v1.
 * Written out by hand it takes half as long as by a library that compiles a schema.
 */

/** What an answer repeats of its request. */
export interface Asked {
  readonly requestId: string
  readonly flagKey: string
}

/** A `BooleanEvaluationResponse`. */
export function writeBoolean(
  { enabled, reason, segmentKeys }: BooleanEvaluation,
  { requestId, flagKey }: Asked,
  timing: Timing,
): string {
  return (
    `{"enabled":${enabled},"reason":"${reason}","requestId":${quote(requestId)},` +
    `${timing.members},"flagKey":${quote(flagKey)},"segmentKeys":${quoteAll(segmentKeys)}}`
  )
}

/** A `VariantEvaluationResponse`. */
export function writeVariant(
  { match, segmentKeys, reason, variantKey, variantAttachment }: VariantEvaluation,
  { requestId, flagKey }: Asked,
  timing: Timing,
): string {
  return (
    `{"match":${match},"segmentKeys":${quoteAll(segmentKeys)},"reason":"${reason}",` +
    `"variantKey":${quote(variantKey)},"variantAttachment":${quote(variantAttachment)},` +
    `"requestId":${quote(requestId)},${timing.members},"flagKey":${quote(flagKey)}}`
  )
}
