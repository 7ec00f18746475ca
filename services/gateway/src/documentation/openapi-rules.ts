import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { type FieldRule, keyPattern, maxKeyLength } from '@svc/contract'
import { exactlyOne, fieldRules } from '@svc/proto/field-rules'

/** A JSON schema (2020-12), as far as the document uses them. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly contentMediaType?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly string[]
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly examples?: readonly unknown[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly not?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const rulesByMessage: ReadonlyMap<string, Readonly<Record<string, FieldRule>>> = new Map(
  Object.entries(fieldRules),
)
const choicesByMessage: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(exactlyOne))

/** What the services check of a field, or what is always so of one in an answer. */
export function ruleOf({ parent, jsonName }: DescField): FieldRule {
  return rulesByMessage.get(parent.name)?.[jsonName] ?? {}
}

/** The fields of which a request has exactly one, by their names in JSON. */
export function choicesOf({ name }: DescMessage): readonly string[] {
  return choicesByMessage.get(name) ?? []
}

/** The same key, where it may be left out by being empty. */
const emptyOrKey = keyPattern.source.replace('+$', '*$')

/**
 * The schema of a field in a request: its type with the rules that the services check.
 *
 * @param value the schema of its type
 * @param isChosen whether it is one of {@link choicesOf}, and so not empty if it is there
 */
export function withRules(value: Schema, rule: FieldRule, isChosen: boolean): Schema {
  switch (value.type) {
    case 'string':
      return { ...value, ...toTextRules(rule, isChosen) }
    case 'integer':
      return { ...value, minimum: -(2 ** 31), maximum: 2 ** 31 - 1, ...toNumberRules(rule) }
    case 'number':
      return { ...value, ...toNumberRules(rule) }
    case 'array':
      return { ...value, ...toListRules(value, rule, isChosen) }
    case 'object':
      return {
        ...value,
        ...(rule.maxProperties !== undefined && { maxProperties: rule.maxProperties }),
        ...(rule.anyValues && { additionalProperties: true }),
      }
    default:
      return value
  }
}

function toTextRules(rule: FieldRule, isChosen: boolean): Schema {
  const { key, notBlank, values, maxBytes } = rule
  const isRequired = rule.required === true || isChosen
  if (values !== undefined) return { enum: values }
  // A text of so many bytes has as many characters at most.
  const maxLength = rule.maxLength ?? (key ? maxKeyLength : maxBytes)
  return {
    ...toForm(rule),
    ...(key && { pattern: isRequired ? keyPattern.source : emptyOrKey }),
    ...(notBlank && { pattern: '\\S' }),
    ...(isRequired && { minLength: 1 }),
    ...(maxLength !== undefined && { maxLength }),
  }
}

/** What the document says of the form of text, in requests and answers alike. */
export function toForm({ format }: FieldRule): Schema {
  if (format === undefined) return {}
  return format === 'json' ? { contentMediaType: 'application/json' } : { format }
}

function toNumberRules({ minimum, maximum }: FieldRule): Schema {
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  }
}

function toListRules({ items }: Schema, rule: FieldRule, isChosen: boolean): Schema {
  const minItems = rule.minItems ?? (isChosen ? 1 : undefined)
  const { key = false, maxItems } = rule
  return {
    ...(items?.type === 'string' && {
      items: { ...items, ...toForm(rule), ...(key && toTextRules({ key }, true)) },
    }),
    ...(minItems !== undefined && { minItems }),
    ...(maxItems !== undefined && { maxItems }),
  }
}

/** What no keyword of JSON schema says: bytes. */
export function describeSize({ maxBytes }: FieldRule): string | undefined {
  return maxBytes === undefined ? undefined : `At most ${maxBytes.toLocaleString('en')} bytes.`
}
