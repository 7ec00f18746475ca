import {
  ErrorCode,
  type EvaluationContext,
  type FlagMetadata,
  type FlagValue,
  type JsonValue,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/core'
import type { Evaluation, EvaluationError, Flags, Subject } from '@svc/client'

/** What an application asks. */
export interface Question<Value extends FlagValue> {
  readonly flagKey: string
  /** Left out where the flags are of one subject. */
  readonly context?: EvaluationContext
  readonly fallback: Value
}

/** A value that is read from what a flag serves, or what is wrong with asking for one. */
type Reading<Value> = { readonly value: Value } | { readonly mismatch: string }

const errorCodes: Readonly<Record<EvaluationError, ErrorCode>> = {
  FLAG_NOT_FOUND: ErrorCode.FLAG_NOT_FOUND,
  NOT_READY: ErrorCode.PROVIDER_NOT_READY,
  TYPE_MISMATCH: ErrorCode.TYPE_MISMATCH,
  INVALID_CONTEXT: ErrorCode.INVALID_CONTEXT,
  GENERAL: ErrorCode.GENERAL,
}

/** The value of a boolean flag. */
export function resolveBoolean(flags: Flags | undefined, question: Question<boolean>) {
  return resolve(flags, question, ({ value }) =>
    typeof value === 'boolean'
      ? { value }
      : { mismatch: 'is a variant flag: ask for a string, a number or an object' },
  )
}

/** The key of the variant that a variant flag serves. */
export function resolveString(flags: Flags | undefined, question: Question<string>) {
  return resolve(
    flags,
    question,
    ofVariant(({ variantKey }) => ({ value: variantKey })),
  )
}

/** The key of the variant if it is a number, else its attachment if that is one. */
export function resolveNumber(flags: Flags | undefined, question: Question<number>) {
  return resolve(
    flags,
    question,
    ofVariant(({ variantKey, attachment }) => {
      const value = toNumber(variantKey) ?? attachment
      // JSON has numbers that are too large for JavaScript.
      return typeof value === 'number' && Number.isFinite(value)
        ? { value }
        : { mismatch: `serves "${variantKey}": neither that nor its attachment is a number` }
    }),
  )
}

/** The attachment of the variant, which has to be an object or a list. It is frozen. */
export function resolveObject<Value extends JsonValue>(
  flags: Flags | undefined,
  question: Question<Value>,
) {
  return resolve(
    flags,
    question,
    ofVariant<Value>(({ variantKey, attachment }) =>
      typeof attachment === 'object' && attachment !== null
        ? // Whether it has the members of the application's own type, only the application knows.
          { value: attachment as Value }
        : { mismatch: `serves "${variantKey}", whose attachment is no object and no list` },
    ),
  )
}

/**
 * The targeting key is the id of the entity; constraints may compare all of the context, the targeting key
 * too, as with OFREP. Without a targeting key the id is empty.
 */
export function toSubject(context: EvaluationContext): Subject {
  const { targetingKey } = context
  return { entityId: targetingKey, context }
}

function hasText(context: EvaluationContext): boolean {
  try {
    JSON.stringify(context)
    return true
  } catch {
    return false
  }
}

function resolve<Value extends FlagValue>(
  flags: Flags | undefined,
  { flagKey, context, fallback }: Question<Value>,
  read: (evaluation: Evaluation) => Reading<Value> | undefined,
): ResolutionDetails<Value> {
  if (flags === undefined) {
    const message = 'the provider is not initialized: use OpenFeature.setProviderAndWait'
    return failure(fallback, ErrorCode.PROVIDER_NOT_READY, message)
  }
  const evaluation = flags.evaluate(flagKey, context && toSubject(context))
  const { error } = evaluation
  if (error !== undefined) {
    const isUnreadable = error === 'GENERAL' && context !== undefined && !hasText(context)
    const code = isUnreadable ? ErrorCode.INVALID_CONTEXT : errorCodes[error]
    return failure(fallback, code, describe(code, flagKey, flags))
  }
  const reading = read(evaluation)
  const flagMetadata = metadataOf(evaluation, flags)
  const reason = reasonOf(evaluation, flags)
  if (reading === undefined) return { value: fallback, reason, flagMetadata }
  if ('mismatch' in reading) {
    return failure(fallback, ErrorCode.TYPE_MISMATCH, `flag "${flagKey}" ${reading.mismatch}`)
  }
  return {
    value: reading.value,
    variant: String(evaluation.value),
    reason,
    flagMetadata,
  }
}

/** Reads the variant of a variant flag. @returns `undefined` when it serves none */
function ofVariant<Value>(read: (evaluation: Evaluation) => Reading<Value>) {
  return (evaluation: Evaluation): Reading<Value> | undefined => {
    if (typeof evaluation.value === 'boolean') return { mismatch: 'is a boolean flag' }
    return evaluation.variantKey === '' ? undefined : read(evaluation)
  }
}

/** @returns `undefined` for a text that is no JSON number */
function toNumber(text: string): number | undefined {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(text) ? Number(text) : undefined
}

function reasonOf({ reason, value, segmentKeys, isStale }: Evaluation, { mode }: Flags): string {
  if (isStale) return StandardResolutionReasons.STALE
  // No rule decided and there is no default variant: the application's own value is served.
  if (reason === 'UNKNOWN') return StandardResolutionReasons.DEFAULT
  // A rollout without a segment is a percentage. In remote mode boolean flags come without segments.
  const isPercentage = mode === 'local' && typeof value === 'boolean' && segmentKeys.length === 0
  return isPercentage && reason === 'TARGETING_MATCH' ? StandardResolutionReasons.SPLIT : reason
}

const attachmentTexts = new WeakMap<object, string>()

/** `flagSetId` and `version` are the names that hooks for telemetry look for. */
function metadataOf({ segmentKeys, attachment, revision }: Evaluation, flags: Flags): FlagMetadata {
  return {
    flagSetId: flags.namespace,
    version: String(revision),
    revision,
    ...(segmentKeys.length > 0 && { segments: segmentKeys.join() }),
    ...(attachment !== undefined && { attachment: toText(attachment) }),
  }
}

/** All who are served a variant get the same attachment, so its text is made once. */
function toText(attachment: NonNullable<Evaluation['attachment']> | null): string {
  if (typeof attachment !== 'object' || attachment === null) return JSON.stringify(attachment)
  const known = attachmentTexts.get(attachment)
  if (known !== undefined) return known
  const text = JSON.stringify(attachment)
  attachmentTexts.set(attachment, text)
  return text
}

function failure<Value extends FlagValue>(
  fallback: Value,
  errorCode: ErrorCode,
  errorMessage: string,
): ResolutionDetails<Value> {
  return { value: fallback, reason: StandardResolutionReasons.ERROR, errorCode, errorMessage }
}

function describe(code: ErrorCode, flagKey: string, { namespace }: Flags): string {
  switch (code) {
    case ErrorCode.FLAG_NOT_FOUND:
      return `namespace "${namespace}" has no flag "${flagKey}"`
    case ErrorCode.PROVIDER_NOT_READY:
      return `no flags of namespace "${namespace}" have come yet`
    case ErrorCode.INVALID_CONTEXT:
      return 'the context has a value without a JSON text'
    default:
      return `flag "${flagKey}" of namespace "${namespace}" cannot be evaluated`
  }
}
