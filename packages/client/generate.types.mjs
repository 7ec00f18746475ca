import { getOption, hasOption, ScalarType } from '@bufbuild/protobuf'

const wellKnown = {
  'google.protobuf.Timestamp': 'string',
  'google.protobuf.Struct': 'JsonObject',
  'google.protobuf.Value': 'JsonValue',
  'google.protobuf.Empty': 'Record<string, never>',
}

const scalars = {
  [ScalarType.STRING]: 'string',
  [ScalarType.BYTES]: 'string',
  [ScalarType.BOOL]: 'boolean',
  [ScalarType.DOUBLE]: 'number',
  [ScalarType.FLOAT]: 'number',
  [ScalarType.INT32]: 'number',
  [ScalarType.UINT32]: 'number',
}

/**
 * The types of messages as ProtoJSON has them. In an answer all is there but what is `optional`; in a
 * request what is required has to be there.
 */
export class MessageTypes {
  #comments
  #declared = new Map()

  constructor(comments) {
    this.#comments = comments
  }

  get source() {
    const names = [...this.#declared.keys()].sort()
    return names.map((name) => this.#declared.get(name)).join('\n')
  }

  answerOf(message) {
    return this.#messageType(message, { isAnswer: true, pathFields: [] })
  }

  /** @param pathFields names in JSON of what the URL needs */
  requestOf(message, pathFields) {
    return this.#messageType(message, { isAnswer: false, pathFields })
  }

  hasRequired(message, pathFields) {
    return message.fields.some((field) => isRequired(field, { isAnswer: false, pathFields }))
  }

  #messageType(message, use) {
    const known = wellKnown[message.typeName]
    if (known !== undefined) return known
    const isRequest = message.name.endsWith('Request')
    const name = use.isAnswer || isRequest ? message.name : `${message.name}Input`
    if (!this.#declared.has(name)) {
      this.#declared.set(name, '')
      this.#declared.set(name, this.#declare(name, message, use))
    }
    return name
  }

  #declare(name, message, use) {
    const members = message.fields.map((field) => {
      const comment = toComment(this.#comments.get(field) ?? '', '  ')
      const type = this.#typeOf(field, use)
      if (isRequired(field, use)) return `${comment}  readonly ${field.jsonName}: ${type}`
      return `${comment}  readonly ${field.jsonName}?: ${type}${use.isAnswer ? '' : ' | undefined'}`
    })
    const comment = toComment(this.#comments.get(message) ?? '', '')
    // A type and not an interface: it has to be assignable to an object of JSON.
    return `${comment}export type ${name} = {\n${members.join('\n')}\n}\n`
  }

  #typeOf(field, use) {
    const inner = { ...use, pathFields: [] }
    switch (field.fieldKind) {
      case 'list':
        return `readonly ${this.#valueType(field, inner)}[]`
      case 'map':
        return `Readonly<Record<string, ${this.#valueType(field, inner)}>>`
      default:
        return this.#valueType(field, inner)
    }
  }

  #valueType(field, use) {
    if (field.message) return this.#messageType(field.message, use)
    if (field.enum) return this.#enumType(field.enum)
    const type = scalars[field.scalar]
    if (type === undefined) throw new Error(`${field}: JSON has no such number`)
    return type
  }

  #enumType(enumeration) {
    if (!this.#declared.has(enumeration.name)) {
      const values = enumeration.values.map(({ name }) => `'${name}'`).join(' | ')
      const comment = toComment(this.#comments.get(enumeration) ?? '', '')
      this.#declared.set(
        enumeration.name,
        `${comment}export type ${enumeration.name} = ${values}\n`,
      )
    }
    return enumeration.name
  }
}

function isRequired(field, { isAnswer, pathFields }) {
  const rule = ruleOf(field)
  if (!isAnswer) return rule.required === true || pathFields.includes(field.jsonName)
  if (field.oneof !== undefined) return false
  const isLeftOut = field.fieldKind === 'message' || field.proto.proto3Optional
  return rule.required === true || !isLeftOut
}

/** `svc.options.v1.field`, whose extension is found by its number: it is not in the code. */
function ruleOf(field) {
  const options = field.proto.options
  const extension = field.parent.file.dependencies
    .flatMap(({ extensions }) => extensions)
    .find(({ typeName }) => typeName === 'svc.options.v1.field')
  if (options === undefined || extension === undefined || !hasOption(field, extension)) return {}
  return getOption(field, extension)
}

export function toComment(text, indent) {
  if (text === '') return ''
  const lines = text.trim().split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0].replaceAll('*/', '*\\/')} */\n`
  const body = lines.map((line) => `${indent} * ${line.trim().replaceAll('*/', '*\\/')}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}
