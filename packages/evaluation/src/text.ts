import { parseList } from './list.ts'
import { isPresent, type Predicate, type PredicateFactory } from './predicate.ts'
import { isBlank, trim } from './white-space.ts'

/**
 * Operators of string and entity id constraints. All but the first two are false for an empty
 * value, the negative ones as well. A prefix or suffix is looked for inside the trimmed value.
 */
const operators: ReadonlyMap<string, PredicateFactory> = new Map<string, PredicateFactory>([
  ['empty', () => isBlank],
  ['notempty', () => isPresent],
  ['eq', (operand) => (value) => value === operand && value !== ''],
  ['neq', (operand) => (value) => value !== operand && value !== ''],
  ['prefix', (operand) => (value) => value !== '' && trim(value).startsWith(operand)],
  ['suffix', (operand) => (value) => value !== '' && trim(value).endsWith(operand)],
  ['contains', (operand) => (value) => value !== '' && value.includes(operand)],
  ['notcontains', (operand) => (value) => value !== '' && !value.includes(operand)],
  [
    'isoneof',
    (operand) => {
      const list = parseTextList(operand)
      list?.delete('')
      return list && ((value) => list.has(value))
    },
  ],
  [
    'isnotoneof',
    (operand) => {
      const list = parseTextList(operand)
      list?.add('')
      return list && ((value) => !list.has(value))
    },
  ],
])

export function textPredicate(operator: string, operand: string): Predicate | undefined {
  return operators.get(operator)?.(operand)
}

/** @returns `undefined` for anything but a JSON array of strings */
export function parseTextList(text: string): Set<string> | undefined {
  return parseList(text, '', (element) => typeof element === 'string')
}
