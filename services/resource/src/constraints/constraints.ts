import { fieldRules } from '@svc/proto/field-rules'
import type {
  CreateConstraintRequest,
  UpdateConstraintRequest,
} from '@svc/proto/resource/v1/constraints'
import { type AppError, alternatives, invalidArgument, notFound } from '@svc/runtime'
import { checkRequest } from '../fields.ts'
import { comparisonTypes, findKind } from './operators.ts'
import { toStoredValue } from './values.ts'

export function checkConstraintCreation(request: CreateConstraintRequest): CreateConstraintRequest {
  return checkComparison(checkRequest(fieldRules.CreateConstraintRequest, request))
}

export function checkConstraintUpdate(request: UpdateConstraintRequest): UpdateConstraintRequest {
  return checkComparison(checkRequest(fieldRules.UpdateConstraintRequest, request))
}

/** @returns the constraint as it is stored */
function checkComparison<T extends CreateConstraintRequest>(constraint: T): T {
  const { type, property } = constraint
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
  const value = toStoredValue({ type, property, operator, value: constraint.value })
  return { ...constraint, operator, value }
}

export function constraintNotFound(id: string): AppError {
  return notFound('constraint', `constraint "${id}" not found`)
}
