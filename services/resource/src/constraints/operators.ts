import type { fieldRules } from '@svc/proto/field-rules'
import type { ComparisonType } from '@svc/proto/resource/v1/constraints'

/** One that the protos list for every type together. */
type Operator = (typeof fieldRules.CreateConstraintRequest.operator.values)[number]

interface Kind {
  /** What the type is called in messages. */
  readonly name: string
  readonly operators: ReadonlySet<string>
}

const order: readonly Operator[] = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'present', 'notpresent']
const membership: readonly Operator[] = ['isoneof', 'isnotoneof']
const text: readonly Operator[] = ['eq', 'neq', 'contains', 'notcontains', ...membership]

const kinds: ReadonlyMap<ComparisonType, Kind> = new Map([
  kind('STRING_COMPARISON_TYPE', 'string', [...text, 'empty', 'notempty', 'prefix', 'suffix']),
  kind('NUMBER_COMPARISON_TYPE', 'number', [...order, ...membership]),
  kind('BOOLEAN_COMPARISON_TYPE', 'boolean', ['true', 'false', 'present', 'notpresent']),
  kind('DATETIME_COMPARISON_TYPE', 'datetime', order),
  kind('ENTITY_ID_COMPARISON_TYPE', 'entityId', text),
])

const withoutValue: ReadonlySet<string> = new Set<Operator>([
  'true',
  'false',
  'empty',
  'notempty',
  'present',
  'notpresent',
])
const withList: ReadonlySet<string> = new Set(membership)

/** Every type that a constraint can have. */
export const comparisonTypes: readonly ComparisonType[] = [...kinds.keys()]

/** @returns `undefined` for the unknown type */
export function findKind(type: ComparisonType): Kind | undefined {
  return kinds.get(type)
}

export function takesValue(operator: string): boolean {
  return !withoutValue.has(operator)
}

export function takesList(operator: string): boolean {
  return withList.has(operator)
}

function kind(type: ComparisonType, name: string, operators: readonly Operator[]) {
  return [type, { name, operators: new Set<string>(operators) }] as const
}
