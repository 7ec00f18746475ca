import { isPresent, type Predicate } from './predicate.ts'
import { isBlank } from './white-space.ts'

const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

const operators: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ['present', isPresent],
  ['notpresent', isBlank],
  ['true', (value) => trueWords.has(value)],
  ['false', (value) => falseWords.has(value)],
])

export function booleanPredicate(operator: string): Predicate | undefined {
  return operators.get(operator)
}
