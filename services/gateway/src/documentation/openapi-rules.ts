import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { type FieldRule, keyPattern, maxKeyLength } from '@svc/contract'
import { closedMessages, exactlyOne, fieldRules } from '@svc/proto/field-rules'

/** A JSON schema (2020-12). What is `undefined` is not in the document, which is JSON. */
export interface Schema {
  readonly type?: string
  readonly description?: string | undefined
  readonly items?: Schema
  readonly required?: readonly string[] | undefined
  readonly oneOf?: readonly Schema[] | undefined
  readonly [keyword: string]: unknown
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

const closed = new Set(closedMessages)

/** Whether a request with members that the message does not have is refused. */
export function isClosed({ typeName }: DescMessage): boolean {
  return closed.has(typeName)
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
  const { minimum, maximum, maxItems, maxProperties, key = false } = rule
  const { items } = value
  switch (value.type) {
    case 'string':
      return { ...value, ...toTextRules(rule, isChosen) }
    case 'integer':
      return { ...value, minimum: minimum ?? -(2 ** 31), maximum: maximum ?? 2 ** 31 - 1 }
    case 'number':
      return { ...value, minimum, maximum }
    case 'array':
      return {
        ...value,
        ...(items?.type === 'string' && {
          items: {
            ...items,
            ...toForm(rule),
            maxLength: rule.maxLength,
            ...(key && toTextRules({ key }, true)),
          },
        }),
        minItems: rule.minItems ?? (isChosen ? 1 : undefined),
        maxItems,
      }
    case 'object':
      return { ...value, maxProperties, ...(rule.anyValues && { additionalProperties: true }) }
    default:
      return value
  }
}

function toTextRules(rule: FieldRule, isChosen: boolean): Schema {
  const { key, notBlank, values, maxBytes } = rule
  const isRequired = rule.required === true || isChosen
  if (values !== undefined) return { enum: values }
  const keyForm = isRequired ? keyPattern.source : emptyOrKey
  return {
    ...toForm(rule),
    pattern: notBlank ? '\\S' : key ? keyForm : undefined,
    minLength: isRequired ? 1 : undefined,
    // A text of so many bytes has as many characters at most.
    maxLength: rule.maxLength ?? (key ? maxKeyLength : maxBytes),
  }
}

/** What the document says of the form of text, in requests and answers alike. */
export function toForm({ format }: FieldRule): Schema {
  if (format === undefined) return {}
  return format === 'json' ? { contentMediaType: 'application/json' } : { format }
}

/** What no keyword of JSON schema says: bytes. */
export function describeSize({ maxBytes }: FieldRule): string | undefined {
  return maxBytes === undefined ? undefined : `At most ${maxBytes.toLocaleString('en')} bytes.`
}
