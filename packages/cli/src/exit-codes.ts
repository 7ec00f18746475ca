import { SvcError } from '@svc/client/api'

/** What the process ends with. Pipelines depend on them: a number never changes its meaning. */
export const exitCodes = {
  done: 0,
  /** The service refused it, or it could not be done. */
  failed: 1,
  /** The command line, a setting or a file is wrong. Nothing was sent. */
  usage: 2,
  /** There are differences: `diff`, `--exit-code`, a verification that found a break. */
  differences: 3,
  /** What it is about has changed, exists already or is kept by another manager (409, 412). */
  conflict: 4,
  /** No credential, or one that may not (401, 403). */
  notAllowed: 5,
  /** No answer, or the service cannot answer now (429, 502, 503, 504). */
  unavailable: 6,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An error that is told as it is: what is wrong, and what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  /** What to do, as a sentence of its own. */
  readonly hint: string | undefined

  constructor(exitCode: ExitCode, message: string, hint?: string, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
    this.hint = hint
  }
}

/** Reasons of an apply in parts for which a request gets 409 or 412. */
const conflictReasons: ReadonlySet<unknown> = new Set([
  'plan_changed',
  'revision_mismatch',
  'expectation_failed',
  'managed_by_other',
])

const unavailableReasons: ReadonlySet<unknown> = new Set(['unavailable', 'still_applying'])

/** Of an apply, its reason or what it was refused with counts: `ApplyError` of `@svc/documents/files`. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (error instanceof SvcError) return exitCodeOfStatus(error)
  if (!(error instanceof Error) || error.name !== 'ApplyError') return exitCodes.failed
  const reason: unknown = Reflect.get(error, 'reason')
  if (conflictReasons.has(reason)) return exitCodes.conflict
  if (unavailableReasons.has(reason)) return exitCodes.unavailable
  return error.cause instanceof SvcError ? exitCodeOfStatus(error.cause) : exitCodes.failed
}

function exitCodeOfStatus(error: SvcError): ExitCode {
  switch (error.status) {
    case 409:
    case 412:
      return exitCodes.conflict
    case 401:
    case 403:
      return exitCodes.notAllowed
    case 0:
    case 429:
    case 502:
    case 503:
    case 504:
      return exitCodes.unavailable
    default:
      return exitCodes.failed
  }
}
