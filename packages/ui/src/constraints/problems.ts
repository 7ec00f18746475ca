import type { ConstraintDocument } from '@svc/client/api'
import { parseDatetime, parseNumber } from '@svc/evaluation'
import { limits, operatorOf, readList, takesList, takesValue } from './kinds.ts'

/** Why the service would refuse a constraint, and where it is. */
export interface Problem {
  readonly field: 'property' | 'operator' | 'value' | 'description'
  readonly kind: 'missing' | 'tooLong' | 'unknown' | 'noNumber' | 'noDate' | 'noList' | 'tooMany'
  /** The element that is wrong. */
  readonly text?: string
}

type Checked = Pick<ConstraintDocument, 'type' | 'property' | 'operator' | 'value' | 'description'>

/** The first thing that is wrong with a constraint. */
export function problemOf(constraint: Checked): Problem | undefined {
  const { property, operator, description } = constraint
  if (property.trim() === '') return { field: 'property', kind: 'missing' }
  if (property.length > limits.property) return { field: 'property', kind: 'tooLong' }
  if (operatorOf(constraint) === undefined) return { field: 'operator', kind: 'unknown' }
  const kind = takesValue(operator) ? valueProblemOf(constraint) : undefined
  if (kind !== undefined) return { field: 'value', ...kind }
  if (byteLength(description) > limits.descriptionBytes)
    return { field: 'description', kind: 'tooLong' }
  return undefined
}

function valueProblemOf({ type, operator, value }: Checked): Omit<Problem, 'field'> | undefined {
  const isNumber = type === 'NUMBER_COMPARISON_TYPE'
  if (value === '') return { kind: 'missing' }
  if (byteLength(value) > limits.valueBytes) return { kind: 'tooLong' }
  if (takesList(operator)) {
    const list = readList(value)
    if (list === undefined) return { kind: 'noList' }
    if (list.length > limits.elements) return { kind: 'tooMany' }
    const text = isNumber ? list.find(isNoNumber) : undefined
    return text === undefined ? undefined : { kind: 'noNumber', text }
  }
  if (isNumber && isNoNumber(value)) return { kind: 'noNumber', text: value }
  if (type === 'DATETIME_COMPARISON_TYPE' && Number.isNaN(parseDatetime(value)))
    return { kind: 'noDate', text: value }
  return undefined
}

function isNoNumber(text: string): boolean {
  return Number.isNaN(parseNumber(text))
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
