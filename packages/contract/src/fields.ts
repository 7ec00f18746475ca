import { type AppError, invalidField } from '@svc/runtime'

/**
 * What a field of a request has to be: `svc.options.v1.field`, which the protos say and the OpenAPI
 * document repeats.
 */
export interface FieldRule {
  readonly required?: boolean
  readonly key?: boolean
  readonly notBlank?: boolean
  /** In characters; of a list, of each text in it. */
  readonly maxLength?: number
  /** In UTF-8; of an object, of its JSON. */
  readonly maxBytes?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly values?: readonly string[]
  readonly anyValues?: boolean
  readonly format?: string
  readonly example?: unknown
}

/** The rules of a message, by field. */
export type FieldRules<T> = { readonly [K in keyof T]?: FieldRule }

/** The key of a namespace, flag or segment: what it may be made of. */
export const keyPattern = /^[-_,A-Za-z0-9]+$/

/** Longest key, in characters: the width of the established interface. */
export const maxKeyLength = 255

/** Whether a text can be the key of a namespace, flag or segment. */
export function isKey(text: string): boolean {
  return text.length <= maxKeyLength && keyPattern.test(text)
}

/** The error for a key that {@link keyPattern} does not match. */
export function invalidKey(field: string): AppError {
  const allowed = 'allowed are letters, digits, "-", "_" and ","'
  return invalidField(field, `contains invalid characters: ${allowed}`)
}

/**
 * Checks the fields of a request, in the order in which the proto has them. A field that is left out
 * has the zero value of its type. Not checked here, as that takes the whole request or a parser: enums,
 * the `maxBytes` of objects, `values` and `format`.
 *
 * @throws {AppError} `invalid_argument` that names the first field that breaks its rule
 */
export function checkFields<T extends object>(rules: FieldRules<T>, request: T): void {
  for (const [field, rule] of Object.entries<FieldRule | undefined>(rules)) {
    if (rule !== undefined) checkField(field, rule, Reflect.get(request, field))
  }
}

function checkField(field: string, rule: FieldRule, value: unknown): void {
  if (typeof value === 'string') checkText(field, rule, value)
  else if (typeof value === 'number') checkNumber(field, rule, value)
  else if (Array.isArray(value)) checkList(field, rule, value)
  else if (typeof value === 'object' && value !== null) checkObject(field, rule, value)
}

function checkText(field: string, rule: FieldRule, text: string): void {
  const { required, key, notBlank, maxBytes } = rule
  if (required && (notBlank ? text.trim() : text) === '') {
    throw invalidField(field, 'must not be empty')
  }
  if (key && text !== '' && !keyPattern.test(text)) throw invalidKey(field)
  const maxLength = rule.maxLength ?? (key ? maxKeyLength : undefined)
  if (maxLength !== undefined && isLonger(text, maxLength)) {
    throw invalidField(field, `must be at most ${maxLength} characters`)
  }
  if (maxBytes !== undefined && Buffer.byteLength(text) > maxBytes) {
    throw invalidField(field, `must be at most ${maxBytes} bytes`)
  }
}

function isLonger(text: string, maxLength: number): boolean {
  // A character is one or two units: only between the two does it take counting.
  if (text.length <= maxLength) return false
  return text.length > 2 * maxLength || Array.from(text).length > maxLength
}

/** As the 32-bit float that a share is stored as; of NaN, neither holds. */
function checkNumber(field: string, { minimum, maximum }: FieldRule, sent: number): void {
  const value = Number.isInteger(sent) ? sent : Math.fround(sent)
  if (minimum !== undefined && !(value >= minimum)) {
    throw invalidField(field, `must be greater than or equal to '${minimum}'`)
  }
  if (maximum !== undefined && !(value <= maximum)) {
    throw invalidField(field, `must be less than or equal to '${maximum}'`)
  }
}

function checkList(field: string, rule: FieldRule, list: readonly unknown[]): void {
  const { minItems, maxItems, maxLength, key } = rule
  if (minItems !== undefined && list.length < minItems) {
    throw invalidField(field, `must contain atleast ${minItems} elements`)
  }
  if (maxItems !== undefined && list.length > maxItems) {
    throw invalidField(field, `must contain at most ${maxItems} elements`)
  }
  if (key) for (const item of list) checkField(field, { key, required: true }, item)
  if (maxLength !== undefined) for (const item of list) checkField(field, { maxLength }, item)
}

function checkObject(field: string, { maxProperties }: FieldRule, object: object): void {
  if (maxProperties !== undefined && Object.keys(object).length > maxProperties) {
    throw invalidField(field, `must have at most ${maxProperties} entries`)
  }
}
