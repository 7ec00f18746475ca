import { AppError } from '@svc/runtime'

/** An error that ends the launcher, with a sentence for the terminal. */
export function startError(sentence: string, cause?: unknown): AppError {
  return new AppError('failed_precondition', 'no_start', sentence, { cause })
}

/** @returns the code of an error of the system, such as ECONNREFUSED; else the error */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : error
}
