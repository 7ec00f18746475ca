import type { BooleanEvaluation, VariantEvaluation } from '@svc/evaluation'
import { quote, quoteAll } from '../../http/json-text.ts'
import type { Moment } from './moment.ts'

/*
 * The answers that are given most, as JSON. They follow the messages in proto/svc/evaluation/v1.
 * Written out by hand it takes half as long as by a library that compiles a schema.
 */

/** What an answer repeats of its question. */
export interface Asked {
  readonly requestId: string
  readonly flagKey: string
}

/** A `BooleanEvaluationResponse`. */
export function writeBoolean(
  { enabled, reason, segmentKeys }: BooleanEvaluation,
  { requestId, flagKey }: Asked,
  moment: Moment,
): string {
  return (
    `{"enabled":${enabled},"reason":"${reason}","requestId":${quote(requestId)},` +
    `${moment.members},"flagKey":${quote(flagKey)},"segmentKeys":${quoteAll(segmentKeys)}}`
  )
}

/** A `VariantEvaluationResponse`. */
export function writeVariant(
  { match, segmentKeys, reason, variantKey, variantAttachment }: VariantEvaluation,
  { requestId, flagKey }: Asked,
  moment: Moment,
): string {
  return (
    `{"match":${match},"segmentKeys":${quoteAll(segmentKeys)},"reason":"${reason}",` +
    `"variantKey":${quote(variantKey)},"variantAttachment":${quote(variantAttachment)},` +
    `"requestId":${quote(requestId)},${moment.members},"flagKey":${quote(flagKey)}}`
  )
}
