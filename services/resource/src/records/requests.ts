import { checkFields, type FieldRules } from '@svc/contract'
import { invalidField } from '@svc/runtime'

/** With the flag `u`, pairs count as the character that they stand for. */
const loneSurrogate = /\p{Surrogate}/u

/**
 * The request with its namespace, if it has one, filled in: an empty one means `default`. Every request
 * goes through here before anything else is read from it.
 *
 * @param rules what its fields have to be, from `@svc/proto/field-rules`
 * @throws {AppError} for a field that breaks its rule, and for text that is not text
 */
export function checkRequest<T extends object>(rules: FieldRules<T>, request: T): T {
  checkText(request)
  checkFields(rules, request)
  const needsNamespace = 'namespaceKey' in request && request.namespaceKey === ''
  return needsNamespace ? { ...request, namespaceKey: 'default' } : request
}

/**
 * Refuses what Postgres cannot store: U+0000, and half a surrogate pair, which would silently turn
 * into another character. Looks into objects and lists.
 */
export function checkText(value: unknown, field = 'request'): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalidField(field, 'must not contain U+0000')
    if (loneSurrogate.test(value)) throw invalidField(field, 'must be well-formed Unicode')
  } else if (Array.isArray(value)) {
    for (const element of value) checkText(element, field)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkText(name, field)
      checkText(member, field === 'request' ? name : field)
    }
  }
}

/** @throws {AppError} for a fraction, and for a number beyond those that are exact */
export function checkWhole(field: string, value: number): number {
  if (!Number.isSafeInteger(value)) throw invalidField(field, 'must be a whole number')
  return value
}
