/** Error codes of a call: the gRPC codes, by name, that this project uses. */
export type ErrorCode =
  | 'canceled'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'unauthenticated'

/**
 * An error that a caller may see.
 *
 * Any other error is a defect: it is logged where it happened, and reaches the caller as `internal`
 * without its message.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** Stable and machine-readable, for example `flag_not_found`. Open-ended, unlike `code`. */
  readonly reason: string

  constructor(code: ErrorCode, reason: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.reason = reason
  }
}

/** A request that is invalid in any state of the data. */
export function invalidArgument(message: string): AppError {
  return new AppError('invalid_argument', 'invalid_argument', message)
}

/** A field that breaks a rule of the interface; `field` is its camelCase name. */
export function invalidField(field: string, rule: string): AppError {
  return new AppError('invalid_argument', 'invalid_field', `invalid field ${field}: ${rule}`)
}

/** Allowed values in a message: `a, b or c`. */
export function alternatives(names: Iterable<string>): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
}

/** @param message the whole sentence, for example `flag "default/checkout" not found` */
export function notFound(kind: string, message: string): AppError {
  return new AppError('not_found', `${kind}_not_found`, message)
}

/** @param message the whole sentence, for example `flag "default/checkout" is not unique` */
export function alreadyExists(kind: string, message: string): AppError {
  return new AppError('already_exists', `${kind}_not_unique`, message)
}

/** Reasons of `failed_precondition` that are about the data: what a request expected of it is not so. */
export const preconditionReasons = [
  'revision_mismatch',
  'expectation_failed',
  'plan_changed',
] as const

/**
 * A request that said what it expects of the present state, which is another one. Nothing was changed.
 *
 * @param message the whole sentence, for example `flag "default/checkout" is at revision 42, not 40`
 */
export function preconditionFailed(
  reason: (typeof preconditionReasons)[number],
  message: string,
): AppError {
  return new AppError('failed_precondition', reason, message)
}

/** A dependency of this process does not answer; a retry may succeed. */
export function unavailable(message: string, options?: ErrorOptions): AppError {
  return new AppError('unavailable', 'unavailable', message, options)
}

/** The configuration cannot be used. `problems` has one line for each fault. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
