import { parseNumber } from '@svc/evaluation'
import {
  type Comparison,
  entityProperty,
  type Kind,
  type Operator,
  operatorsOf,
  readList,
  takesList,
  takesValue,
} from './kinds.ts'

/** A list as the service takes it: numbers of numbers, else texts. What is no number stays a text. */
export function writeList(type: string, elements: readonly string[]): string {
  if (type !== 'NUMBER_COMPARISON_TYPE') return JSON.stringify(elements)
  return JSON.stringify(
    elements.map((element) => {
      const number = parseNumber(element)
      return Number.isNaN(number) ? element : number
    }),
  )
}

/** The same comparison by another type. The operator and the value stay where they make sense. */
export function withType<T extends Comparison>(comparison: T, type: Kind): T {
  if (type === comparison.type) return comparison
  const operator = operatorsOf[type].find((one) => one === comparison.operator)
  const isEntity = type === 'ENTITY_ID_COMPARISON_TYPE'
  const wasEntity = comparison.type === 'ENTITY_ID_COMPARISON_TYPE'
  const property = isEntity ? entityProperty : wasEntity ? '' : comparison.property
  const [first = 'eq'] = operatorsOf[type]
  const next = { ...comparison, type, property }
  // A day is no text of people, and the other way round.
  const isDate = [type, comparison.type].includes('DATETIME_COMPARISON_TYPE')
  return withOperator(isDate ? { ...next, value: '' } : next, operator ?? first)
}

/** The same comparison by another operator. One value becomes a list of it, a list its first value. */
export function withOperator<T extends Comparison>(comparison: T, operator: Operator): T {
  const { type, value } = comparison
  if (!takesValue(operator)) return { ...comparison, operator, value: '' }
  const list = takesList(comparison.operator) ? readList(value) : undefined
  if (takesList(operator)) {
    const elements = list ?? (value === '' ? [] : [value])
    return {
      ...comparison,
      operator,
      value: elements.length === 0 ? '' : writeList(type, elements),
    }
  }
  return { ...comparison, operator, value: list === undefined ? value : (list[0] ?? '') }
}

/**
 * A date and time for an input of the browser, in UTC, such as `2026-06-01T00:00`.
 *
 * @returns nothing for what is no datetime
 */
export function toInputTime(value: string): string | undefined {
  const at = instantOf(value)
  if (at === undefined) return undefined
  const iso = new Date(at).toISOString().slice(0, 19)
  return iso.endsWith(':00') ? iso.slice(0, 16) : iso
}

/** The other way. */
export function fromInputTime(text: string): string {
  if (text === '') return ''
  return `${text.length === 16 ? `${text}:00` : text.slice(0, 19)}Z`
}

/** In milliseconds since 1970; nothing for what is no datetime of the service. */
export function instantOf(value: string): number | undefined {
  const at = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}
