import { booleanPredicate } from './boolean.ts'
import { readContext } from './context.ts'
import { datetimePredicate } from './datetime.ts'
import type { Entity } from './entity.ts'
import { numberPredicate } from './number.ts'
import type { Predicate } from './predicate.ts'
import type { ConstraintRecord } from './records.ts'
import { textPredicate } from './text.ts'

export interface Constraint {
  /** `undefined` when it is about the entity's id. */
  readonly property: string | undefined
  readonly holds: Predicate
  readonly next: Constraint | undefined
}

const never: Predicate = () => false

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
  return holds(property === undefined ? entity.id : readContext(entity.context, property))
}

function compilePredicate({ type, operator, value }: ConstraintRecord): Predicate | undefined {
  switch (type) {
    case 'STRING_COMPARISON_TYPE':
    case 'ENTITY_ID_COMPARISON_TYPE':
      return textPredicate(operator, value)
    case 'NUMBER_COMPARISON_TYPE':
      return numberPredicate(operator, value)
    case 'BOOLEAN_COMPARISON_TYPE':
      return booleanPredicate(operator)
    case 'DATETIME_COMPARISON_TYPE':
      return datetimePredicate(operator, value)
    default:
      return undefined
  }
}
