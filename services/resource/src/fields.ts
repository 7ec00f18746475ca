import { invalidField, invalidKey, keyPattern } from '@svc/runtime'

/** What the established interface allows keys, names, ids and operators. */
const maxCharacters = 255

/** For descriptions and metadata: some twenty pages, more than a person writes about a flag. */
const maxTextBytes = 65_536

/** With the flag `u`, pairs count as the character that they stand for. */
const loneSurrogate = /\p{Surrogate}/u

/**
 * The request with its namespace filled in: an empty one means `default`. Every request that has a
 * namespace goes through here before anything else is read from it.
 *
 * @throws {AppError} for a key that names no namespace, and for text that is not text
 */
export function inNamespace<T extends { readonly namespaceKey: string }>(request: T): T {
  checkText(request)
  const namespaceKey = request.namespaceKey === '' ? 'default' : request.namespaceKey
  checkKey('namespaceKey', namespaceKey)
  return { ...request, namespaceKey }
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

/** The key of a namespace, flag or segment, wherever a request names one. */
export function checkKey(field: string, value: string): void {
  checkPresent(field, value)
  if (!keyPattern.test(value)) throw invalidKey(field)
}

/** A name, an id or another short text that has to be there. */
export function checkPresent(field: string, value: string): void {
  if (value === '') throw invalidField(field, 'must not be empty')
  checkShort(field, value)
}

export function checkShort(field: string, value: string): void {
  // A character is one or two units: only between the two does it take counting.
  if (value.length <= maxCharacters) return
  if (value.length > 2 * maxCharacters || Array.from(value).length > maxCharacters) {
    throw invalidField(field, `must be at most ${maxCharacters} characters`)
  }
}

export function checkLong(field: string, value: string, maxBytes = maxTextBytes): void {
  if (Buffer.byteLength(value) > maxBytes) {
    throw invalidField(field, `must be at most ${maxBytes} bytes`)
  }
}
