import { parseDatetime, parseNumber } from '@svc/evaluation'
import type { ComparisonType } from '@svc/proto/resource/v1/constraints'
import { type AppError, invalidArgument, invalidField } from '@svc/runtime'
import { findKind, takesList, takesValue } from './operators.ts'

/** Sets of any size belong into segments of their own; every element is compared. */
const maxElements = 100

/** What a value is checked against; the operator in lower case and one that the type has. */
export interface Comparison {
  readonly type: ComparisonType
  readonly property: string
  readonly operator: string
  readonly value: string
}

/**
 * The value as it is stored: empty where the operator needs none, and datetimes in one form.
 *
 * @throws {AppError} when evaluation could not use it
 */
export function toStoredValue(comparison: Comparison): string {
  const { type, operator, value } = comparison
  const isDatetime = type === 'DATETIME_COMPARISON_TYPE'
  if (isDatetime && value !== '') {
    const datetime = toDatetime(value)
    return takesValue(operator) ? datetime : ''
  }
  if (!takesValue(operator)) return ''
  if (value === '') {
    const form = takesList(operator) ? `: ${listRule(comparison)}` : ''
    throw invalidField('value', `must not be empty${form}`)
  }
  if (takesList(operator)) checkList(comparison)
  else if (type === 'NUMBER_COMPARISON_TYPE' && Number.isNaN(parseNumber(value))) {
    throw invalidValue(comparison, `must be ${formOf.number}`)
  }
  return value
}

/** A day stays one; an instant becomes one in UTC, in whole seconds. */
function toDatetime(value: string): string {
  const seconds = parseDatetime(value)
  const iso = Number.isNaN(seconds) ? '' : new Date(seconds * 1000).toISOString()
  // In UTC an instant may fall into a year before 0 or after 9999, which no other part can read.
  if (iso.length !== '2006-01-02T15:04:05.000Z'.length) {
    // The answer quotes the value, which may be as long as a request.
    const quoted = value.length > 255 ? `${value.slice(0, 255)}…` : value
    throw invalidArgument(`parsing datetime from "${quoted}": must be ${formOf.datetime}`)
  }
  return value.includes('T') ? iso.replace('.000Z', 'Z') : value
}

function checkList(comparison: Comparison): void {
  const wanted = comparison.type === 'NUMBER_COMPARISON_TYPE' ? Number.isFinite : isText
  const list = parseJson(comparison.value)
  if (!Array.isArray(list) || !list.every(wanted))
    throw invalidValue(comparison, listRule(comparison))
  if (list.length > maxElements) {
    const { property } = comparison
    const subject = `too many values provided for property "${property}" of type`
    throw invalidArgument(`${subject} ${nameOf(comparison)} (maximum ${maxElements})`)
  }
}

const isText = (element: unknown): boolean => typeof element === 'string'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalidValue(comparison: Comparison, rule: string): AppError {
  const subject = `invalid value provided for property "${comparison.property}"`
  return invalidArgument(`${subject} of type ${nameOf(comparison)}: ${rule}`)
}

/** Forms of a value, for messages. */
const formOf = {
  number: 'a decimal number such as 1.5',
  datetime: 'an RFC 3339 date-time or a date, such as 2030-01-31T12:00:00Z or 2030-01-31',
  numbers: 'a JSON array of numbers, as text, such as [1,2]',
  strings: 'a JSON array of strings, as text, such as ["a","b"]',
} as const

function listRule({ type, operator }: Comparison): string {
  const form = type === 'NUMBER_COMPARISON_TYPE' ? formOf.numbers : formOf.strings
  return `${operator} takes ${form}`
}

function nameOf({ type }: Comparison): string {
  return findKind(type)?.name ?? type
}
