import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonValue,
  type JsonObject as ProtoJsonObject,
  ScalarType,
} from '@bufbuild/protobuf'
import { invalidArgument } from '@svc/runtime'
import { isObject, type JsonObject, wrongValues } from '../http/json.ts'
import { isTimestamp, toProtoTimestamp } from './timestamp.ts'

/** Takes a value as clients may send it and gives it back as ProtoJSON has it. */
type Read = (value: unknown) => JsonValue

type ReadMessage = (value: JsonObject) => ProtoJsonObject

/** A number in a string, by the grammar of JSON. ProtoJSON's reader would take `0x10` too. */
const number = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/

/**
 * Brings what clients may send to what `fromJson` takes: one spelling of each name, nothing unknown,
 * no `null`. Refuses what `fromJson` would let pass: unknown values of enums, numbers that are none,
 * two members of a one-of. Wrong types are left to it.
 *
 * @throws {AppError} `invalid_argument`
 */
export function toProtoJson(message: DescMessage, value: JsonObject): ProtoJsonObject {
  return readerOf(message)(value)
}

const readers = new WeakMap<DescMessage, ReadMessage>()

/** Compiled once for each message. */
function readerOf(message: DescMessage): ReadMessage {
  const known = readers.get(message)
  if (known !== undefined) return known
  const fields = message.fields.map((field) => ({ field, read: fieldReader(field) }))
  const read: ReadMessage = (value) => {
    const result: ProtoJsonObject = {}
    let given: Map<DescOneof, DescField> | undefined
    for (const { field, read } of fields) {
      const member = value[field.jsonName] ?? value[field.name]
      if (member === undefined || member === null) continue
      if (field.oneof !== undefined) {
        const other = given?.get(field.oneof)
        if (other !== undefined) {
          throw invalidArgument(
            `only one of ${other.jsonName} and ${field.jsonName} may be present`,
          )
        }
        given = (given ?? new Map()).set(field.oneof, field)
      }
      result[field.jsonName] = read(member)
    }
    return result
  }
  readers.set(message, read)
  return read
}

function fieldReader(field: DescField): Read {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarReader(field.scalar)
    case 'enum':
      return enumReader(field.enum)
    case 'message':
      return messageReader(field.message)
    case 'list': {
      const read = itemReader(field)
      const ofMessages = field.listKind === 'message'
      return (value) => toList(value, ofMessages).map(read)
    }
    case 'map':
      return mapReader(field)
  }
}

function itemReader(field: DescField & { fieldKind: 'list' }): Read {
  switch (field.listKind) {
    case 'scalar':
      return scalarReader(field.scalar)
    case 'enum':
      return enumReader(field.enum)
    case 'message':
      return messageReader(field.message)
  }
}

function scalarReader(scalar: ScalarType): Read {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return (value) => (typeof value === 'string' ? value : refuse())
    case ScalarType.BOOL:
      return (value) => (typeof value === 'boolean' ? value : refuse())
    default:
      return (value) => {
        if (typeof value === 'number') return value
        return typeof value === 'string' && number.test(value) ? value : refuse()
      }
  }
}

function enumReader({ typeName, values }: DescEnum): Read {
  const known = new Set<unknown>(values.flatMap(({ name, number }) => [name, number]))
  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return refuse()
    if (known.has(value)) return value
    const sent = JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value)
    throw invalidArgument(`unknown value ${JSON.stringify(sent)} for enum ${typeName}`)
  }
}

function messageReader(message: DescMessage): Read {
  if (isTimestamp(message)) {
    return (value) => (typeof value === 'string' && toProtoTimestamp(value)) || refuse()
  }
  if (message.typeName === 'google.protobuf.Struct') {
    return (value) => (isObject(value) ? (value as ProtoJsonObject) : refuse())
  }
  let read: ReadMessage | undefined
  return (value) => {
    // Looked up late, for messages that contain themselves.
    read ??= readerOf(message)
    return isObject(value) ? read(value) : refuse()
  }
}

/** A value that is `null` is the empty one. */
function mapReader(field: DescField & { fieldKind: 'map' }): Read {
  if (field.mapKind !== 'scalar' || field.scalar !== ScalarType.STRING) {
    throw new Error(`${field.parent.typeName}.${field.name}: only maps to text are supported`)
  }
  const read = scalarReader(field.scalar)
  return (value) => {
    if (!isObject(value)) return refuse()
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, member === null ? '' : read(member)]),
    )
  }
}

/** One known client sends its lists of objects as objects with the names "0", "1", … */
function toList(value: unknown, ofMessages: boolean): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!ofMessages || !isObject(value)) return refuse()
  return Object.entries(value).map(([name, item], index) =>
    name === String(index) ? item : refuse(),
  )
}

function refuse(): never {
  throw wrongValues()
}
