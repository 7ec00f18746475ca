import {
  createFileRegistry,
  fromBinary,
  getOption,
  hasOption,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'

/**
 * What the protos say of their fields, by the name of the message.
 *
 * @param {Uint8Array} descriptorSet as `buf build` makes it
 * @returns {{rules: Record<string, Record<string, object>>, exactlyOne: Record<string, string[]>, closed: string[]}}
 *   by field in JSON: `svc.options.v1.Field` in JSON; names of fields in JSON; names of messages
 */
export function readRules(descriptorSet) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet))
  const messages = [...registry.files]
    .filter(({ proto }) => proto.package.startsWith('svc.'))
    .flatMap((file) => [...nestedTypes(file)])
    .filter(({ kind }) => kind === 'message')
  return {
    rules: byMessage(messages, rulesIn(registry.getExtension('svc.options.v1.field'))),
    exactlyOne: byMessage(messages, namesIn(registry.getExtension('svc.options.v1.exactly_one'))),
    closed: messages
      .filter((message) => getOption(message, registry.getExtension('svc.options.v1.closed')))
      .map(({ typeName }) => typeName),
  }
}

function byMessage(messages, read) {
  const found = messages.flatMap((message) => {
    const value = read(message)
    return value === undefined ? [] : [[message.name, value]]
  })
  const result = Object.fromEntries(found)
  if (Object.keys(result).length < found.length) throw new Error('two messages have the same name')
  return result
}

const rulesIn = (extension) => (message) => {
  const ruled = message.fields.filter((field) => hasOption(field, extension))
  if (ruled.length === 0) return undefined
  const entries = ruled.map((field) => {
    const rule = toJson(extension.message, getOption(field, extension))
    return [field.jsonName, withExample(field, rule)]
  })
  return Object.fromEntries(entries)
}

const namesIn = (extension) => (message) => {
  if (!hasOption(message, extension)) return undefined
  return getOption(message, extension).map((name) => {
    const field = message.fields.find((candidate) => candidate.name === name)
    if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`)
    return field.jsonName
  })
}

/** The example of what is no text is given as JSON. */
function withExample(field, rule) {
  if (rule.example === undefined) return rule
  const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING
  if (isText || field.fieldKind === 'enum') return rule
  try {
    return { ...rule, example: JSON.parse(rule.example) }
  } catch {
    throw new Error(`${field.parent.typeName}.${field.name}: the example is no JSON`)
  }
}
