import {
  type CompiledFlag,
  type Entity,
  evaluateBoolean,
  evaluateVariant,
  type Reason,
} from '@svc/evaluation'
import { quote } from '../http/json-text.ts'

/*
 * What came of flags, as JSON: the message `svc.ofrep.v1.EvaluatedFlag`, written out by hand like the
 * other answers that are given most.
 */

/** OFREP has no reason for a default; providers pass on what they are told. */
const reasons: Readonly<Record<Reason, string>> = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

/** @param count is told of each attachment in the answer */
export function writeFlag(
  flag: CompiledFlag,
  entity: Entity,
  count?: (attachment: string) => void,
): string {
  const key = quote(flag.key)
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const { enabled, reason } = evaluateBoolean(flag, entity)
    return (
      `{"key":${key},"reason":"${reasons[reason]}","variant":"${enabled}","value":${enabled},` +
      '"metadata":{}}'
    )
  }
  const { variantKey, variantAttachment, segmentKeys, reason } = evaluateVariant(flag, entity)
  count?.(variantAttachment)
  const variant = quote(variantKey)
  // Without a value the application takes its own default, which an empty text would hide. The variant
  // stays: the provider for Python fails without one.
  const value = variantKey === '' ? '' : `,"value":${variant}`
  const metadata = writeMetadata(segmentKeys, variantAttachment)
  return `{"key":${key},"reason":"${reasons[reason]}","variant":${variant}${value},"metadata":${metadata}}`
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

/** What people are told about a flag that is not there. */
export function missing(key: string): string {
  return `flag was not found ${key}`
}
