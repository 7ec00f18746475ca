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
 * What the protos say of their fields.
 *
 * @param {Uint8Array} descriptorSet as `buf build` makes it
 * @returns {Record<string, Record<string, object>>} by message and field: `svc.options.v1.Field` in JSON
 */
export function toFieldRules(descriptorSet) {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet))
  const extension = registry.getExtension('svc.options.v1.field')
  const messages = [...registry.files]
    .filter(({ proto }) => proto.package.startsWith('svc.'))
    .flatMap((file) => [...nestedTypes(file)])
    .filter(({ kind }) => kind === 'message')
  const rules = {}
  for (const message of messages) {
    const ruled = message.fields.filter((field) => hasOption(field, extension))
    if (ruled.length === 0) continue
    if (message.name in rules) throw new Error(`there are two messages ${message.name} with rules`)
    rules[message.name] = Object.fromEntries(
      ruled.map((field) => {
        const rule = toJson(extension.message, getOption(field, extension))
        return [field.jsonName, withExample(field, rule)]
      }),
    )
  }
  return rules
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
