import { type AppError, invalidArgument } from '@svc/runtime'

/** An object of a JSON body; every member is still to be checked. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The answer to a value of the wrong type.
 *
 * @param rule the field and what it must be, for example `enabled must be true or false`; never the
 *   value that was sent
 */
export function wrongValues(rule: string): AppError {
  return invalidArgument(`invalid values for key(s) in json body: ${rule}`)
}
