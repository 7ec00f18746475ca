import {
  type DescField,
  type DescMessage,
  fromBinary,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf'
import { shortestFloat } from '@svc/evaluation'
import { isObject } from './json.ts'

/**
 * The JSON text of an answer: every field by its name in JSON, zero values included; objects,
 * timestamps and members of one-ofs only when they are set. 64-bit integers would become strings, as
 * ProtoJSON has it; no message that has a URL contains one.
 */
export function encodeResponse(message: DescMessage, bytes: Uint8Array, pretty = false): Buffer {
  const json = toJson(message, fromBinary(message, bytes), { alwaysEmitImplicit: true })
  shortenerOf(message)?.(json)
  return Buffer.from(JSON.stringify(json, null, pretty ? 2 : 0))
}

/** Shortens the floats in the JSON of a message, in place. */
type Shorten = (json: JsonValue | undefined) => void

const shorteners = new WeakMap<DescMessage, Shorten | null>()

/** @returns nothing for a message without floats, which is most of them */
function shortenerOf(message: DescMessage): Shorten | null {
  const known = shorteners.get(message)
  if (known !== undefined) return known
  // A message inside itself finds this; none of ours with floats is.
  shorteners.set(message, null)
  const parts = message.fields.flatMap((field) => partOf(field) ?? [])
  const shorten: Shorten | null =
    parts.length === 0
      ? null
      : (json) => {
          if (!isObject(json)) return
          for (const part of parts) part(json)
        }
  shorteners.set(message, shorten)
  return shorten
}

function partOf(field: DescField): ((json: JsonObject) => void) | undefined {
  const { jsonName, message } = field
  if (field.scalar === ScalarType.FLOAT && field.fieldKind === 'scalar') {
    return (json) => {
      const value = json[jsonName]
      if (typeof value === 'number') json[jsonName] = shortestFloat(value)
    }
  }
  const shorten = message === undefined ? null : shortenerOf(message)
  if (shorten === null) return undefined
  return (json) => {
    const value = json[jsonName]
    if (Array.isArray(value)) value.forEach(shorten)
    else shorten(value)
  }
}
