import { type ElementType, listPredicate } from './list.ts'
import { isPresent, type Predicate } from './predicate.ts'
import { isBlank, trim } from './white-space.ts'

/**
 * Operators of string and entity id constraints. All but the first two are false for an empty
 * value, also the negative ones. A prefix or suffix is looked for inside the trimmed value.
 */
const operators: ReadonlyMap<string, (operand: string) => Predicate> = new Map<
  string,
  (operand: string) => Predicate
>([
  ['empty', () => isBlank],
  ['notempty', () => isPresent],
  ['eq', (operand) => (value) => value === operand && value !== ''],
  ['neq', (operand) => (value) => value !== operand && value !== ''],
  ['prefix', (operand) => (value) => value !== '' && trim(value).startsWith(operand)],
  ['suffix', (operand) => (value) => value !== '' && trim(value).endsWith(operand)],
  ['contains', (operand) => (value) => value !== '' && value.includes(operand)],
  ['notcontains', (operand) => (value) => value !== '' && !value.includes(operand)],
])

const texts: ElementType<string> = {
  zero: '',
  isElement: (element) => typeof element === 'string',
  read: (value) => value || undefined,
}

/** @returns `undefined` for an operator of another type, and for a list of anything else */
export function textPredicate(operator: string, operand: string): Predicate | undefined {
  return operators.get(operator)?.(operand) ?? listPredicate(operator, operand, texts)
}
