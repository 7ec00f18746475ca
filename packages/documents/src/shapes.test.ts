import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  createFileRegistry,
  type DescField,
  type DescMessage,
  fromBinary,
  ScalarType,
} from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import t from 'tap'
import { type Member, type Shape, shapeOf } from './shapes.ts'

const file = fileURLToPath(import.meta.resolve('@svc/proto/descriptors.binpb'))
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(file)))

/** What the table of shapes has to say of a message. */
function describe({ fields, oneofs }: DescMessage): object {
  const chosen = oneofs.flatMap((oneof) => oneof.fields.map(({ jsonName }) => jsonName))
  return [fields.map((field) => [field.jsonName, describeField(field)]), chosen]
}

function describeField(field: DescField): unknown {
  if (field.message?.typeName === 'google.protobuf.Struct') return 'json'
  if (field.message !== undefined) return [field.fieldKind, describe(field.message)]
  if (field.enum !== undefined) return field.enum.values.map(({ name }) => name)
  return [field.fieldKind, field.scalar]
}

function describeShape({ entries, oneOf }: Shape): object {
  return [entries.map(([name, member]) => [name, describeMember(member)]), oneOf]
}

const scalars = {
  text: ['scalar', ScalarType.STRING],
  boolean: ['scalar', ScalarType.BOOL],
  float: ['scalar', ScalarType.FLOAT],
  texts: ['list', ScalarType.STRING],
  json: 'json',
}

function describeMember(member: Member): unknown {
  if (member.type === 'enum') return member.values
  if (member.type === 'message' || member.type === 'list') {
    return [member.type, describeShape(member.shape)]
  }
  return scalars[member.type]
}

const messages = {
  flag: 'FlagDocument',
  segment: 'SegmentDocument',
  namespace: 'NamespaceSettings',
}

for (const [kind, shape] of Object.entries(shapeOf)) {
  t.test(`the members of a ${kind} are those of the proto, in its order`, async (t) => {
    const name = Reflect.get(messages, kind)
    const message = registry.getMessage(`svc.resource.v1.${name}`)
    t.strictSame(describeShape(shape), message && describe(message))
  })
}
