import {
  type CompiledFlag,
  type Context,
  evaluateBoolean,
  evaluateVariant,
  type Reason,
} from '@svc/evaluation'

/** What came of one flag, as `svc.ofrep.v1.EvaluatedFlag` has it. */
export interface FlagAnswer {
  readonly key: string
  readonly reason: string
  readonly variant?: string
  readonly value?: boolean | string
  readonly metadata: { readonly segments?: string; readonly attachment?: string }
}

/** What a flag that is not there is answered with beside others that are. */
export interface FlagFailure {
  readonly key: string
  readonly errorCode: 'FLAG_NOT_FOUND'
  readonly errorDetails: string
}

/** OFREP has no reason for a default; providers pass on what they are told. */
const reasons: Readonly<Record<Reason, string>> = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
  UNKNOWN_EVALUATION_REASON: 'UNKNOWN',
}

const noMetadata = Object.freeze({})

export function answerFlag(flag: CompiledFlag, entityId: string, context: Context): FlagAnswer {
  const { key } = flag
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const { enabled, reason } = evaluateBoolean(flag, entityId, context)
    const variant = enabled ? 'true' : 'false'
    return { key, reason: reasons[reason], variant, value: enabled, metadata: noMetadata }
  }
  const { variantKey, variantAttachment, segmentKeys, reason } = evaluateVariant(
    flag,
    entityId,
    context,
  )
  const metadata =
    segmentKeys.length === 0 && variantAttachment === ''
      ? noMetadata
      : {
          ...(segmentKeys.length > 0 && { segments: segmentKeys.join(',') }),
          ...(variantAttachment !== '' && { attachment: variantAttachment }),
        }
  // Without a value the application takes its own default, which an empty text would hide.
  return variantKey === ''
    ? { key, reason: reasons[reason], metadata }
    : { key, reason: reasons[reason], variant: variantKey, value: variantKey, metadata }
}

export function failFlag(key: string): FlagFailure {
  return { key, errorCode: 'FLAG_NOT_FOUND', errorDetails: missing(key) }
}

/** What people are told about a flag or namespace that is not there. */
export function missing(key: string): string {
  return `flag was not found ${key}`
}
