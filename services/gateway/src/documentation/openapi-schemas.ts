import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from '@bufbuild/protobuf'
import { usedTypes } from '@bufbuild/protobuf/reflect'
import type { Contract } from '@svc/contract'
import {
  choicesOf,
  describeSize,
  isClosed,
  ruleOf,
  type Schema,
  toForm,
  withRules,
} from './openapi-rules.ts'

/** In what clients send, what the services ask for has to be there; an answer has all but what may be unset. */
export type Direction = 'request' | 'response'

/** Makes the schemas of messages and collects those that others refer to. */
export class SchemaCollection {
  readonly #comments: Contract['comments']
  readonly #shared: ReadonlySet<object>
  readonly #schemas = new Map<string, Schema>()

  constructor({ operations, comments }: Contract) {
    this.#comments = comments
    const sent = typesIn(operations.map(({ input }) => input))
    const answered = typesIn(operations.map(({ output }) => output))
    this.#shared = new Set([...answered].filter((type) => sent.has(type)))
  }

  /** Those that were referred to, by name, in alphabetical order. */
  get schemas(): Readonly<Record<string, Schema>> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  refer(type: DescMessage | DescEnum, direction: Direction): Schema {
    const isVariant = direction === 'request' && type.kind === 'message' && this.#shared.has(type)
    const name = nameOf(type) + (isVariant ? 'Input' : '')
    if (!this.#schemas.has(name)) {
      // Takes the name first: a message may contain itself.
      this.#schemas.set(name, {})
      const schema = type.kind === 'enum' ? this.#toEnum(type) : this.toObject(type, direction)
      this.#schemas.set(name, schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** @param except names in JSON of fields to leave out */
  toObject(message: DescMessage, direction: Direction, except: readonly string[] = []): Schema {
    const fields = message.fields.filter(({ jsonName }) => !except.includes(jsonName))
    const isRequired = (field: DescField) =>
      ruleOf(field).required === true || (direction === 'response' && isAlwaysThere(field))
    const choices = direction === 'request' ? choicesOf(message) : []
    const exclusive = choices.length > 0 ? [] : message.oneofs.flatMap(pairsOf)
    return {
      type: 'object',
      description: this.#comments.get(message),
      properties: Object.fromEntries(
        fields.map((field) => [field.jsonName, this.toProperty(field, direction)]),
      ),
      additionalProperties: direction === 'request' && isClosed(message) ? false : undefined,
      required: unlessEmpty(fields.filter(isRequired).map(({ jsonName }) => jsonName)),
      oneOf: unlessEmpty(choices.map((name) => ({ required: [name] }))),
      not: exclusive.length > 0 ? { anyOf: exclusive } : undefined,
    }
  }

  toProperty(field: DescField, direction: Direction): Schema {
    const rule = ruleOf(field)
    const isChosen = choicesOf(field.parent).includes(field.jsonName)
    const value = this.#toValue(field, direction)
    const size = direction === 'request' ? describeSize(rule) : undefined
    return {
      ...(direction === 'request'
        ? withRules(withoutZero(value, field), rule, isChosen)
        : { ...value, ...toForm(rule) }),
      description: joined(' ', this.#comments.get(field), size),
      examples: rule.example === undefined ? undefined : [rule.example],
    }
  }

  #toValue(field: DescField, direction: Direction): Schema {
    const type = field.message ?? field.enum
    const single =
      type === undefined
        ? scalars[field.scalar ?? ScalarType.BYTES]
        : (wellKnown.get(type.typeName) ?? this.refer(type, direction))
    if (single === undefined) throw new Error(`there is no JSON schema for the type of ${field}`)
    if (field.fieldKind === 'list') return { type: 'array', items: single }
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: single }
    return single
  }

  #toEnum(type: DescEnum): Schema {
    const ofValues = type.values.flatMap((value) => {
      const comment = this.#comments.get(value)
      return comment === undefined ? [] : [`- \`${value.name}\`: ${comment}`]
    })
    return {
      type: 'string',
      enum: type.values.map(({ name }) => name),
      description: joined('\n\n', this.#comments.get(type), ofValues.join('\n')),
    }
  }
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}

function joined(separator: string, ...texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter((text) => text).join(separator) || undefined
}

/** An enum that is required has every value but the one that stands for none. */
function withoutZero(value: Schema, field: DescField): Schema {
  if (field.enum === undefined || ruleOf(field).required !== true) return value
  return { type: 'string', enum: field.enum.values.slice(1).map(({ name }) => name) }
}

function typesIn(messages: readonly DescMessage[]): Set<object> {
  return new Set(messages.flatMap((message) => [message, ...usedTypes(message)]))
}

/** Without the package, of which there is one version. */
function nameOf({ typeName, file }: DescMessage | DescEnum): string {
  return typeName.slice(file.proto.package.length + 1).replaceAll('.', '')
}

/** Answers leave out objects, timestamps and members of one-ofs that are unset, and nothing else. */
export function isAlwaysThere(field: DescField): boolean {
  if (field.fieldKind === 'list' || field.fieldKind === 'map') return true
  return field.fieldKind !== 'message' && field.oneof === undefined && !field.proto.proto3Optional
}

function pairsOf({ fields }: DescOneof): readonly Schema[] {
  return fields.flatMap((one, index) =>
    fields.slice(index + 1).map((other) => ({ required: [one.jsonName, other.jsonName] })),
  )
}

const scalars: Readonly<Partial<Record<ScalarType, Schema>>> = {
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
  [ScalarType.STRING]: { type: 'string' },
}

/** Well-known messages, which have a form of their own in JSON. */
const wellKnown: ReadonlyMap<string, Schema> = new Map([
  ['google.protobuf.Timestamp', { type: 'string', format: 'date-time' }],
  ['google.protobuf.Struct', { type: 'object', additionalProperties: true }],
  ['google.protobuf.Value', {}],
])
