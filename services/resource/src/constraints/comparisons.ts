import { type ComparisonOperator, operatorsOf } from '@svc/documents'
import { parseDatetime, parseNumber } from '@svc/evaluation'
import type { ComparisonType, CreateConstraintRequest } from '@svc/proto/resource/v1/constraints'
import { alternatives, invalidArgument, invalidField } from '@svc/runtime'

const membership: readonly ComparisonOperator[] = ['isoneof', 'isnotoneof']

interface Kind {
  /** What the type is called in messages. */
  readonly name: string
  readonly operators: readonly ComparisonOperator[]
}

const kinds: Partial<Record<ComparisonType, Kind>> = {
  STRING_COMPARISON_TYPE: { name: 'string', operators: operatorsOf.STRING_COMPARISON_TYPE },
  NUMBER_COMPARISON_TYPE: { name: 'number', operators: operatorsOf.NUMBER_COMPARISON_TYPE },
  BOOLEAN_COMPARISON_TYPE: { name: 'boolean', operators: operatorsOf.BOOLEAN_COMPARISON_TYPE },
  DATETIME_COMPARISON_TYPE: { name: 'datetime', operators: operatorsOf.DATETIME_COMPARISON_TYPE },
  ENTITY_ID_COMPARISON_TYPE: { name: 'entityId', operators: operatorsOf.ENTITY_ID_COMPARISON_TYPE },
}

const withoutValue = ['true', 'false', 'empty', 'notempty', 'present', 'notpresent']

/** Maximum elements of a list: each of them is compared. Larger sets belong into segments. */
const maxElements = 100

/** What a constraint compares; a request, for example. */
type Comparison = Pick<CreateConstraintRequest, 'type' | 'property' | 'operator' | 'value'>

/**
 * The comparison as it is stored: the operator in lower case, the value empty where it needs none, and
 * datetimes in one form.
 *
 * @throws {AppError} when evaluation could not use it
 */
export function toStoredComparison<T extends Comparison>(comparison: T): T {
  const { type, property } = comparison
  const kind = kinds[type]
  if (kind === undefined) {
    const types = alternatives(Object.keys(kinds))
    throw invalidArgument(`invalid constraint type: "${type}": use ${types}`)
  }
  const operator = kind.operators.find((one) => one === comparison.operator.toLowerCase())
  if (operator === undefined) {
    const subject = `constraint operator "${comparison.operator}"`
    const operators = alternatives(kind.operators)
    throw invalidArgument(`${subject} is not valid for type ${kind.name}: use ${operators}`)
  }
  if (type === 'ENTITY_ID_COMPARISON_TYPE' && property !== 'entityId') {
    throw invalidArgument(`property is ${property} instead of "entityId"`)
  }
  return { ...comparison, operator, value: toStoredValue(comparison, kind, operator) }
}

function toStoredValue(
  { type, property, value }: Comparison,
  kind: Kind,
  operator: ComparisonOperator,
): string {
  // Checked even where it is not stored.
  const stored = type === 'DATETIME_COMPARISON_TYPE' && value !== '' ? toDatetime(value) : value
  if (withoutValue.includes(operator)) return ''
  const isNumber = type === 'NUMBER_COMPARISON_TYPE'
  const isList = membership.includes(operator)
  const rule = isList
    ? `${operator} takes ${isNumber ? formOf.numbers : formOf.strings}`
    : `must be ${formOf.number}`
  if (value === '') throw invalidField('value', `must not be empty${isList ? `: ${rule}` : ''}`)
  const subject = `provided for property "${property}" of type ${kind.name}`
  if (isList) {
    const list = parseJson(value)
    const isWanted = isNumber ? Number.isFinite : isText
    if (!Array.isArray(list) || !list.every(isWanted)) {
      throw invalidArgument(`invalid value ${subject}: ${rule}`)
    }
    if (list.length > maxElements) {
      throw invalidArgument(`too many values ${subject} (maximum ${maxElements})`)
    }
  } else if (isNumber && Number.isNaN(parseNumber(value))) {
    throw invalidArgument(`invalid value ${subject}: ${rule}`)
  }
  return stored
}

/** Forms of a value, for messages. */
const formOf = {
  number: 'a decimal number such as 1.5',
  datetime: 'an RFC 3339 date-time or a date, such as 2030-01-31T12:00:00Z or 2030-01-31',
  numbers: 'a JSON array of numbers, as text, such as [1,2]',
  strings: 'a JSON array of strings, as text, such as ["a","b"]',
} as const

const isText = (element: unknown): boolean => typeof element === 'string'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
