import type { fieldRules } from '@svc/proto/field-rules'
import type { ComparisonType } from '@svc/proto/resource/v1/constraints'

/** One that the protos list for every type together. */
export type ComparisonOperator = (typeof fieldRules.CreateConstraintRequest.operator.values)[number]

const order = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'present', 'notpresent'] as const
const text = ['eq', 'neq', 'contains', 'notcontains', 'isoneof', 'isnotoneof'] as const

/** The operators that each type of constraint has, in lower case. */
export const operatorsOf = {
  STRING_COMPARISON_TYPE: [...text, 'empty', 'notempty', 'prefix', 'suffix'],
  NUMBER_COMPARISON_TYPE: [...order, 'isoneof', 'isnotoneof'],
  BOOLEAN_COMPARISON_TYPE: ['true', 'false', 'present', 'notpresent'],
  DATETIME_COMPARISON_TYPE: order,
  ENTITY_ID_COMPARISON_TYPE: text,
} as const satisfies Readonly<
  Record<Exclude<ComparisonType, 'UNKNOWN_COMPARISON_TYPE'>, readonly ComparisonOperator[]>
>
