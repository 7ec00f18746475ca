import { ConstraintViolation } from '@svc/database'
import { type AppError, alreadyExists, notFound } from '@svc/runtime'

/** @param names of the record, from the outside in */
export function recordNotFound(kind: string, ...names: unknown[]): AppError {
  return notFound(kind, `${kind} "${names.join('/')}" not found`)
}

/** @param names of the record, from the outside in */
export function recordNotUnique(kind: string, ...names: unknown[]): AppError {
  return alreadyExists(kind, `${kind} "${names.join('/')}" is not unique`)
}

/** What the violation of a constraint means to a caller, by its name in the migrations. */
export type ViolationErrors = Readonly<Record<string, () => AppError>>

/** Turns the violation of a constraint into the caller's error. */
export async function explainViolations<T>(write: Promise<T>, errors: ViolationErrors): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw errors[error.constraint]?.() ?? error
  }
}
