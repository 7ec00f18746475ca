import type {
  CreateConstraintRequest,
  DeleteConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import { type AppError, alternatives, invalidArgument, notFound } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, inNamespace } from '../fields.ts'
import { comparisonTypes, findKind } from './operators.ts'
import { toStoredValue } from './values.ts'

/** Room for 100 elements, the most that a list may have, of two thousand characters each. */
const maxValueBytes = 262_144

export function checkConstraintCreation(request: CreateConstraintRequest): CreateConstraintRequest {
  const constraint = inNamespace(request)
  checkKey('segmentKey', constraint.segmentKey)
  return checkComparison(constraint)
}

export function checkConstraintUpdate(request: UpdateConstraintRequest): UpdateConstraintRequest {
  const constraint = checkConstraintName(request)
  return checkComparison(constraint)
}

export function checkConstraintName<T extends DeleteConstraintRequest>(request: T): T {
  const constraint = inNamespace(request)
  checkPresent('id', constraint.id)
  checkKey('segmentKey', constraint.segmentKey)
  return constraint
}

/** @returns the constraint as it is stored */
function checkComparison<T extends CreateConstraintRequest>(constraint: T): T {
  const { type, property } = constraint
  checkPresent('property', property)
  checkPresent('operator', constraint.operator)
  const kind = findKind(type)
  if (kind === undefined) {
    const types = alternatives(comparisonTypes)
    throw invalidArgument(`invalid constraint type: "${type}": use ${types}`)
  }
  const operator = constraint.operator.toLowerCase()
  if (!kind.operators.has(operator)) {
    const subject = `constraint operator "${constraint.operator}"`
    const operators = alternatives(kind.operators)
    throw invalidArgument(`${subject} is not valid for type ${kind.name}: use ${operators}`)
  }
  if (type === 'ENTITY_ID_COMPARISON_TYPE' && property !== 'entityId') {
    throw invalidArgument(`property is ${property} instead of "entityId"`)
  }
  checkLong('value', constraint.value, maxValueBytes)
  checkLong('description', constraint.description)
  const value = toStoredValue({ type, property, operator, value: constraint.value })
  return { ...constraint, operator, value }
}

export function constraintNotFound(id: string): AppError {
  return notFound('constraint', `constraint "${id}" not found`)
}
