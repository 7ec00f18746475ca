import { type AppError, invalidField } from './errors.ts'

/** The key of a namespace, flag or segment: what it may be made of. */
export const keyPattern = /^[-_,A-Za-z0-9]+$/

/** Longest key, in characters: the width of the established interface. */
export const maxKeyLength = 255

/** The error for a key that {@link keyPattern} does not match. */
export function invalidKey(field: string): AppError {
  const allowed = 'allowed are letters, digits, "-", "_" and ","'
  return invalidField(field, `contains invalid characters: ${allowed}`)
}
