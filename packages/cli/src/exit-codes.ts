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

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode
  if (!(error instanceof SvcError)) return exitCodes.failed
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
