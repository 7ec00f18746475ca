import { booleanOperators, compilePredicate, presenceOperators } from '../constraint.ts'
import { parseDatetime } from '../datetime.ts'
import type { Entity } from '../entity.ts'
import { parseNumber } from '../number.ts'
import type { ConstraintRecord } from '../records.ts'
import type { Cause, ConstraintFinding } from './explanation.ts'
import { shorten } from './shorten.ts'

/** A value of every kind: an operator that takes none of them is no operator of its type. */
const sampleValues = ['0', '[]', '1970-01-01']

/** What a constraint says of an entity, by the predicate that the engine compiles of it. */
export function explainConstraint(record: ConstraintRecord, entity: Entity): ConstraintFinding {
  const { type, property, operator, value } = record
  const holds = compilePredicate(record)
  const actual = actualOf(record, entity)
  return {
    type,
    property,
    operator,
    value: shorten(value),
    ...(actual !== undefined && { actual: shorten(actual) }),
    // What is absent counts as empty text.
    holds: holds?.(actual ?? '') ?? false,
    decisive: false,
    cause: holds === undefined ? faultOf(record) : causeOf(record, actual),
  }
}

/** As the engine has it: what objects inherit, such as `constructor`, is no text. */
function actualOf({ type, property }: ConstraintRecord, { id, context }: Entity) {
  const actual: unknown = type === 'ENTITY_ID_COMPARISON_TYPE' ? id : context[property]
  return typeof actual === 'string' ? actual : undefined
}

/** Why a constraint holds for no entity. */
function faultOf(record: ConstraintRecord): Cause {
  const isKnown = sampleValues.some((value) => compilePredicate({ ...record, value }) !== undefined)
  return isKnown ? 'UNREADABLE_VALUE_CAUSE' : 'UNKNOWN_OPERATOR_CAUSE'
}

function causeOf(record: ConstraintRecord, actual: string | undefined): Cause {
  if (actual === undefined) return 'ABSENT_CAUSE'
  return isReadable(record, actual) ? 'COMPARED_CAUSE' : 'UNREADABLE_ACTUAL_CAUSE'
}

/** Whether a text is of the kind that the operator compares. */
function isReadable({ type, operator }: ConstraintRecord, actual: string): boolean {
  if (presenceOperators.has(operator)) return true
  switch (type) {
    case 'NUMBER_COMPARISON_TYPE':
      return !Number.isNaN(parseNumber(actual))
    case 'BOOLEAN_COMPARISON_TYPE':
      return [...booleanOperators.values()].some((isWord) => isWord(actual))
    case 'DATETIME_COMPARISON_TYPE':
      return !Number.isNaN(parseDatetime(actual))
    default:
      return true
  }
}
