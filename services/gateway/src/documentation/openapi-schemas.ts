import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from '@bufbuild/protobuf'
import { usedTypes } from '@bufbuild/protobuf/reflect'
import type { Contract } from '@svc/contract'
import { choicesOf, describeSize, ruleOf, type Schema, toForm, withRules } from './openapi-rules.ts'

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
      // Takes the name before going on: a message may contain itself.
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
    const required = fields.filter(isRequired)
    const choices = direction === 'request' ? choicesOf(message) : []
    const exclusive = choices.length > 0 ? [] : message.oneofs.flatMap(pairsOf)
    return {
      type: 'object',
      ...this.#describe(message),
      properties: Object.fromEntries(
        fields.map((field) => [field.jsonName, this.toProperty(field, direction)]),
      ),
      ...(required.length > 0 && { required: required.map(({ jsonName }) => jsonName) }),
      ...(choices.length > 0 && { oneOf: choices.map((name) => ({ required: [name] })) }),
      ...(exclusive.length > 0 && { not: { anyOf: exclusive } }),
    }
  }

  toProperty(field: DescField, direction: Direction): Schema {
    const rule = ruleOf(field)
    const isChosen = choicesOf(field.parent).includes(field.jsonName)
    const value = this.#toValue(field, direction)
    const description = [this.#comments.get(field), direction === 'request' && describeSize(rule)]
      .filter((part) => part)
      .join(' ')
    return {
      ...(direction === 'request'
        ? withRules(withoutZero(value, field), rule, isChosen)
        : { ...value, ...toForm(rule) }),
      ...(description !== '' && { description }),
      ...(rule.example !== undefined && { examples: [rule.example] }),
    }
  }

  #toValue(field: DescField, direction: Direction): Schema {
    const single =
      field.message || field.enum
        ? this.#toReference(field.message ?? field.enum, direction)
        : toScalar(field.scalar)
    if (field.fieldKind === 'list') return { type: 'array', items: single }
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: single }
    return single
  }

  #toReference(type: DescMessage | DescEnum, direction: Direction): Schema {
    switch (type.typeName) {
      case 'google.protobuf.Timestamp':
        return { type: 'string', format: 'date-time' }
      case 'google.protobuf.Struct':
        return { type: 'object', additionalProperties: true }
      case 'google.protobuf.Value':
        return {}
      default:
        return this.refer(type, direction)
    }
  }

  #toEnum(type: DescEnum): Schema {
    const own = this.#comments.get(type) ?? ''
    const ofValues = type.values.flatMap((value) => {
      const comment = this.#comments.get(value)
      return comment === undefined ? [] : [`- \`${value.name}\`: ${comment}`]
    })
    const description = [own, ofValues.join('\n')].filter((part) => part !== '').join('\n\n')
    return {
      type: 'string',
      enum: type.values.map(({ name }) => name),
      ...(description !== '' && { description }),
    }
  }

  #describe(declaration: object): Schema {
    const description = this.#comments.get(declaration)
    return description === undefined ? {} : { description }
  }
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

function toScalar(scalar: ScalarType | undefined): Schema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: 'boolean' }
    case ScalarType.INT32:
      return { type: 'integer', format: 'int32' }
    case ScalarType.FLOAT:
      return { type: 'number', format: 'float' }
    case ScalarType.DOUBLE:
      return { type: 'number', format: 'double' }
    case ScalarType.STRING:
      return { type: 'string' }
    default:
      throw new Error(`there is no JSON schema for fields of type ${scalar}`)
  }
}
