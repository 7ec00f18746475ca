import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonValue,
  type JsonObject as ProtoJsonObject,
  ScalarType,
} from '@bufbuild/protobuf'
import { closedMessages } from '@svc/proto/field-rules'
import { alternatives, invalidArgument } from '@svc/runtime'
import { isObject, type JsonObject, wrongValues } from './json.ts'
import { isTimestamp, toProtoTimestamp } from './timestamp.ts'

/**
 * Takes a value as clients may send it and gives it back as ProtoJSON has it.
 *
 * @param path what the value is called in messages: names of fields, such as `threshold.percentage`
 */
type Read = (value: unknown, path: string) => JsonValue

type ReadMessage = (value: JsonObject, prefix: string) => ProtoJsonObject

/** A number in a string, by the grammar of JSON. ProtoJSON's reader would take `0x10` too. */
const number = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/

/**
 * Brings what clients may send to what `fromJson` takes: one spelling of each name, nothing unknown,
 * no `null`. Refuses everything else by the name of the field and what it must be. Unknown members are
 * left out, or refused where the message is closed (`svc.options.v1.closed`).
 *
 * @throws {AppError} `invalid_argument`
 */
export function toProtoJson(message: DescMessage, value: JsonObject): ProtoJsonObject {
  return readerOf(message, false)(value, '')
}

type Readers = WeakMap<DescMessage, ReadMessage>

const openReaders: Readers = new WeakMap()
const closedReaders: Readers = new WeakMap()
const closed = new Set(closedMessages)

/** Compiled once for each message. @param isInClosed whether it is read as a part of a closed one */
function readerOf(message: DescMessage, isInClosed: boolean): ReadMessage {
  const isClosed = isInClosed || closed.has(message.typeName)
  const readers = isClosed ? closedReaders : openReaders
  const known = readers.get(message)
  if (known !== undefined) return known
  const fields = message.fields.map((field) => ({ field, read: fieldReader(field, isClosed) }))
  const checkNames = isClosed ? nameCheck(message) : undefined
  const read: ReadMessage = (value, prefix) => {
    checkNames?.(value, prefix)
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
      result[field.jsonName] = read(member, prefix + field.jsonName)
    }
    return result
  }
  readers.set(message, read)
  return read
}

/** Maximum characters of an unknown name in a message. */
const maxShownName = 64

function nameCheck({ fields }: DescMessage): (value: JsonObject, prefix: string) => void {
  const known = new Set(fields.flatMap(({ name, jsonName }) => [name, jsonName]))
  const choice = alternatives(fields.map(({ jsonName }) => jsonName))
  return (value, prefix) => {
    const unknown = Object.keys(value).find((name) => !known.has(name))
    if (unknown === undefined) return
    const title = prefix === '' ? 'the body' : prefix.slice(0, -1)
    const name = JSON.stringify(unknown.slice(0, maxShownName))
    throw wrongValues(`${title} has no member ${name}: use ${choice}`)
  }
}

function fieldReader(field: DescField, isInClosed: boolean): Read {
  switch (field.fieldKind) {
    case 'scalar':
      return scalarReader(field.scalar)
    case 'enum':
      return enumReader(field.enum)
    case 'message':
      return messageReader(field.message, isInClosed)
    case 'list': {
      const read = itemReader(field, isInClosed)
      const ofMessages = field.listKind === 'message'
      return (value, path) => {
        const list = toList(value, ofMessages) ?? refuse(path, 'must be a list')
        return list.map((item, place) => read(item, ofMessages ? `${path}[${place}]` : path))
      }
    }
    case 'map':
      return mapReader(field)
  }
}

function itemReader(field: DescField & { fieldKind: 'list' }, isInClosed: boolean): Read {
  switch (field.listKind) {
    case 'scalar':
      return scalarReader(field.scalar, 'must hold strings only')
    case 'enum':
      return enumReader(field.enum)
    case 'message':
      return messageReader(field.message, isInClosed)
  }
}

function scalarReader(scalar: ScalarType, textRule = 'must be a string'): Read {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return (value, path) => (typeof value === 'string' ? value : refuse(path, textRule))
    case ScalarType.BOOL:
      return (value, path) =>
        typeof value === 'boolean' ? value : refuse(path, 'must be true or false')
    case ScalarType.INT32:
      return numberReader(
        (value) => (value | 0) === value,
        'must be a whole number from -2147483648 to 2147483647',
      )
    case ScalarType.FLOAT:
      return numberReader((value) => Number.isFinite(Math.fround(value)), 'must be a number')
    default:
      return numberReader(Number.isFinite, 'must be a number')
  }
}

function numberReader(fits: (value: number) => boolean, rule: string): Read {
  return (value, path) => {
    const isNumber = typeof value === 'number' || (typeof value === 'string' && number.test(value))
    return isNumber && fits(Number(value)) ? value : refuse(path, rule)
  }
}

function enumReader({ typeName, values }: DescEnum): Read {
  const known = new Set<unknown>(values.flatMap(({ name, number }) => [name, number]))
  const rule = `must be ${alternatives(values.map(({ name }) => name))}`
  return (value, path) => {
    if (typeof value !== 'string' && typeof value !== 'number') return refuse(path, rule)
    if (known.has(value)) return value
    const sent = JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value)
    throw invalidArgument(
      `unknown value ${JSON.stringify(sent)} for enum ${typeName}: ${path} ${rule}`,
    )
  }
}

function messageReader(message: DescMessage, isInClosed: boolean): Read {
  const rule = 'must be an object'
  if (isTimestamp(message)) {
    return (value, path) =>
      (typeof value === 'string' && toProtoTimestamp(value)) ||
      refuse(path, 'must be an RFC 3339 date-time such as 2030-01-31T12:00:00Z')
  }
  if (message.typeName === 'google.protobuf.Struct') {
    return (value, path) => (isObject(value) ? (value as ProtoJsonObject) : refuse(path, rule))
  }
  let read: ReadMessage | undefined
  return (value, path) => {
    // Looked up late, for messages that contain themselves.
    read ??= readerOf(message, isInClosed)
    return isObject(value) ? read(value, `${path}.`) : refuse(path, rule)
  }
}

/** A value that is `null` is the empty one. */
function mapReader(field: DescField & { fieldKind: 'map' }): Read {
  if (field.mapKind !== 'scalar' || field.scalar !== ScalarType.STRING) {
    throw new Error(`${field.parent.typeName}.${field.name}: only maps to text are supported`)
  }
  // The names in it are the client's, and may be as secret as its values.
  const rule = 'must be an object whose values are strings'
  const read = scalarReader(field.scalar, rule)
  return (value, path) => {
    if (!isObject(value)) return refuse(path, rule)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        member === null ? '' : read(member, path),
      ]),
    )
  }
}

/**
 * One known client sends its lists of objects as objects with the names "0", "1", …
 *
 * @returns nothing for what is no list
 */
function toList(value: unknown, ofMessages: boolean): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value
  if (!ofMessages || !isObject(value)) return undefined
  const entries = Object.entries(value)
  if (!entries.every(([name], index) => name === String(index))) return undefined
  return entries.map(([, item]) => item)
}

function refuse(path: string, rule: string): never {
  throw wrongValues(`${path} ${rule}`)
}
