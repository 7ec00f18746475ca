import type { ComparisonType, ConstraintDocument } from '@svc/client/api'

/** What a constraint compares, as it is written in a segment. */
export type Comparison = Pick<ConstraintDocument, 'type' | 'property' | 'operator' | 'value'>

/** A type that a constraint can have. */
export type Kind = Exclude<ComparisonType, 'UNKNOWN_COMPARISON_TYPE'>

const order = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'present', 'notpresent'] as const
const membership = ['isoneof', 'isnotoneof'] as const
const text = ['eq', 'neq', ...membership, 'contains', 'notcontains'] as const

export type Operator =
  | (typeof order)[number]
  | (typeof text)[number]
  | 'prefix'
  | 'suffix'
  | 'empty'
  | 'notempty'
  | 'true'
  | 'false'

/** The operators of a type, in the order in which they are offered. */
export const operatorsOf: Readonly<Record<Kind, readonly Operator[]>> = {
  STRING_COMPARISON_TYPE: [...text, 'prefix', 'suffix', 'notempty', 'empty'],
  NUMBER_COMPARISON_TYPE: [...order.slice(0, 6), ...membership, 'present', 'notpresent'],
  BOOLEAN_COMPARISON_TYPE: ['true', 'false', 'present', 'notpresent'],
  DATETIME_COMPARISON_TYPE: order,
  ENTITY_ID_COMPARISON_TYPE: text,
}

export const kinds: readonly Kind[] = [
  'STRING_COMPARISON_TYPE',
  'NUMBER_COMPARISON_TYPE',
  'DATETIME_COMPARISON_TYPE',
  'BOOLEAN_COMPARISON_TYPE',
  'ENTITY_ID_COMPARISON_TYPE',
]

const withoutValue: ReadonlySet<string> = new Set([
  ...['true', 'false', 'empty', 'notempty', 'present', 'notpresent'],
])

/** The one property that a constraint of an entity has. */
export const entityProperty = 'entityId'

/** What the service takes: elements of a list, letters of a property, bytes of a value and of a description. */
export const limits = {
  elements: 100,
  property: 255,
  valueBytes: 262_144,
  descriptionBytes: 65_536,
} as const

export function isKind(type: string): type is Kind {
  return type in operatorsOf
}

/** The operator, if it is one of its type. */
export function operatorOf({ type, operator }: Comparison): Operator | undefined {
  return isKind(type) ? operatorsOf[type].find((one) => one === operator) : undefined
}

export function takesValue(operator: string): boolean {
  return !withoutValue.has(operator)
}

export function takesList(operator: string): boolean {
  return operator === 'isoneof' || operator === 'isnotoneof'
}

/** Whether it is a negation that never holds without the property. */
export function needsProperty({ type, operator }: Comparison): boolean {
  if (type === 'ENTITY_ID_COMPARISON_TYPE') return false
  return operator === 'neq' || operator === 'isnotoneof' || operator === 'notcontains'
}

/** Whether upper and lower case are different to it. */
export function comparesCase({ type, operator }: Comparison): boolean {
  const isText = type === 'STRING_COMPARISON_TYPE' || type === 'ENTITY_ID_COMPARISON_TYPE'
  return isText && takesValue(operator)
}

/** The elements of a list, as texts; nothing for what is no list. `null` counts as an empty text, as in the engine. */
export function readList(value: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(value)
    if (!Array.isArray(list)) return undefined
    return list.map((element) =>
      typeof element === 'string' ? element : element === null ? '' : JSON.stringify(element),
    )
  } catch {
    return undefined
  }
}
