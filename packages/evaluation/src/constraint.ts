import { datetimePredicate } from './datetime.ts'
import { type Entity, textIn } from './entity.ts'
import { numberPredicate } from './number.ts'
import { isPresent, type Predicate } from './predicate.ts'
import type { ConstraintRecord } from './records.ts'
import { textPredicate } from './text.ts'
import { isBlank } from './white-space.ts'

export interface Constraint {
  /** `undefined` when it is about the entity's id. */
  readonly property: string | undefined
  readonly holds: Predicate
  readonly next: Constraint | undefined
}

const never: Predicate = () => false

const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const falseWords: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

export const booleanOperators: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ['true', (value) => trueWords.has(value)],
  ['false', (value) => falseWords.has(value)],
])

/** Of numbers, booleans and datetimes. It is about the text, whether or not it is one of these. */
export const presenceOperators: ReadonlyMap<string, Predicate> = new Map<string, Predicate>([
  ['present', isPresent],
  ['notpresent', isBlank],
])

/** A constraint with a type, operator or value that makes no sense never matches. */
export function compileConstraint(
  record: ConstraintRecord,
  next: Constraint | undefined,
): Constraint {
  const isAboutEntity = record.type === 'ENTITY_ID_COMPARISON_TYPE'
  return {
    property: isAboutEntity ? undefined : record.property,
    holds: compilePredicate(record) ?? never,
    next,
  }
}

export function constraintMatches({ property, holds }: Constraint, entity: Entity): boolean {
  return holds(property === undefined ? entity.id : textIn(entity.context, property))
}

/** @returns `undefined` for a type, operator or value that makes no sense */
export function compilePredicate({
  type,
  operator,
  value,
}: ConstraintRecord): Predicate | undefined {
  switch (type) {
    case 'STRING_COMPARISON_TYPE':
    case 'ENTITY_ID_COMPARISON_TYPE':
      return textPredicate(operator, value)
    case 'NUMBER_COMPARISON_TYPE':
      return presenceOperators.get(operator) ?? numberPredicate(operator, value)
    case 'BOOLEAN_COMPARISON_TYPE':
      return presenceOperators.get(operator) ?? booleanOperators.get(operator)
    case 'DATETIME_COMPARISON_TYPE':
      return presenceOperators.get(operator) ?? datetimePredicate(operator, value)
    default:
      return undefined
  }
}
