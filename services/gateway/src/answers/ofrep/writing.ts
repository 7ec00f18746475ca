import {
  type CompiledFlag,
  type Entity,
  evaluateBoolean,
  evaluateVariant,
  type Reason,
} from '@svc/evaluation'
import { quote } from '../../http/json-text.ts'
import type { CountTexts } from '../evaluation/answers.ts'
import { noteOnSpan } from '../evaluation/evaluation-span.ts'
import { noteEvaluation } from '../evaluation/measures.ts'

/*
 * What came of flags, as JSON: the message `svc.ofrep.v1.EvaluatedFlag`, written out by hand like the
 * other answers that are given most.
 */

/** OFREP has no reason for a default; providers pass on what they get. */
const reasons: Readonly<Record<Reason, string>> = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

export interface WritingOptions {
  /** Of the flag. */
  readonly namespaceKey: string
  /** Whether the value of a variant flag is its attachment, where the flag has any. */
  readonly asAttachment?: boolean
  readonly count?: CountTexts
}

/** What came of a flag for an entity, as JSON. */
export function writeFlag(
  flag: CompiledFlag,
  entity: Entity,
  { namespaceKey, asAttachment = false, count }: WritingOptions,
): string {
  const key = quote(flag.key)
  const isOnlyOne = count === undefined
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const evaluation = evaluateBoolean(flag, entity)
    noteOnSpan({ namespaceKey, flag, entity, evaluation }, isOnlyOne)
    const { enabled, reason } = evaluation
    noteEvaluation(namespaceKey, flag.key, flag.type, reason)
    return (
      `{"key":${key},"reason":"${reasons[reason]}","variant":"${enabled}","value":${enabled},` +
      '"metadata":{}}'
    )
  }
  const evaluation = evaluateVariant(flag, entity)
  noteOnSpan({ namespaceKey, flag, entity, evaluation }, isOnlyOne)
  const { variantKey, variantAttachment, segmentKeys, reason } = evaluation
  noteEvaluation(namespaceKey, flag.key, flag.type, reason)
  count?.(segmentKeys, variantAttachment)
  const variant = quote(variantKey)
  const isAttachment = asAttachment && flag.hasAttachments
  if (isAttachment) count?.([], variantAttachment)
  // Without a value the application takes its own default, which an empty text would hide. The variant
  // stays: the provider for Python fails without one.
  const value = isAttachment ? attachedValue(variantAttachment) : variantKey && variant
  const values = `"variant":${variant}${value && `,"value":${value}`}`
  const metadata = writeMetadata(segmentKeys, variantAttachment)
  return `{"key":${key},"reason":"${reasons[reason]}",${values},"metadata":${metadata}}`
}

/**
 * The value of a flag whose variants have attachments, as JSON. It is kept as JSON text, so it goes in
 * as it is. A variant that has none, or `null`, gets no value: the key of the variant would be of
 * another type than the flag's other values, which is an error to a provider.
 */
function attachedValue(attachment: string): string {
  return attachment === 'null' ? '' : attachment
}

function writeMetadata(segmentKeys: readonly string[], attachment: string): string {
  const segments = segmentKeys.length === 0 ? '' : `"segments":${quote(segmentKeys.join(','))}`
  if (attachment === '') return `{${segments}}`
  return `{${segments}${segments && ','}"attachment":${quote(attachment)}}`
}

/** What a flag that is not there is answered with beside others that are. */
export function writeMissing(key: string): string {
  return JSON.stringify({ key, errorCode: 'FLAG_NOT_FOUND', errorDetails: missing(key) })
}

/** The error message for a flag that does not exist. */
export function missing(key: string): string {
  return `flag was not found ${key}`
}
