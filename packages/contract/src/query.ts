import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { alternatives, invalidArgument } from '@svc/runtime'
import type { JsonObject } from './json.ts'
import { isTimestamp, toProtoTimestamp } from './timestamp.ts'

/** A query as the router gives it: decoded, in lists where a name comes several times. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>

const integer = /^-?\d{1,10}$/
const number = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/
const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/**
 * Reads the fields of a request from a query. Names that the request does not have are ignored, and
 * so is a field without a value.
 *
 * @param except names of fields that are in the path
 * @throws {AppError} `invalid_argument` that names the field
 */
export function readQuery(
  input: DescMessage,
  query: QueryValues,
  except: readonly string[],
): JsonObject {
  const result: Record<string, unknown> = {}
  for (const field of input.fields) {
    const sent = query[field.jsonName] ?? query[field.name]
    if (sent === undefined || except.includes(field.jsonName)) continue
    const texts = [sent].flat().filter((text) => text !== '')
    if (field.fieldKind === 'list' && field.listKind !== 'message') {
      result[field.jsonName] = texts.map((text) => readText(field, text))
    } else if (field.fieldKind === 'scalar' || field.enum || isTimestamp(field.message)) {
      if (Array.isArray(sent) && sent.length > 1) {
        throw invalidArgument(`too many values for field "${field.jsonName}"`)
      }
      if (texts[0] !== undefined) result[field.jsonName] = readText(field, texts[0])
    }
  }
  return result
}

function readText(field: DescField, text: string): unknown {
  const refuse = (reason: string) =>
    invalidArgument(
      `parsing field "${field.jsonName}": ${JSON.stringify(text.slice(0, 64))} ${reason}`,
    )
  if (field.enum) {
    const value = findEnumValue(field.enum, text)
    if (value === undefined) {
      const names = alternatives(field.enum.values.map(({ name }) => name))
      throw refuse(`is not a valid value: use ${names}`)
    }
    return value
  }
  if (isTimestamp(field.message)) {
    const instant = toProtoTimestamp(text)
    if (instant === undefined) throw refuse('is not an RFC 3339 date-time')
    return instant
  }
  switch (field.scalar) {
    case ScalarType.BOOL: {
      const value = booleans.get(text)
      if (value === undefined) throw refuse('is not a boolean')
      return value
    }
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      if (!number.test(text) || !Number.isFinite(Number(text))) throw refuse('is not a number')
      return Number(text)
    case ScalarType.INT32:
      if (!integer.test(text)) throw refuse('is not an integer')
      if ((Number(text) | 0) !== Number(text)) throw refuse('is out of range')
      return Number(text)
    default:
      return text
  }
}

/** By name, or by number as decimal text. */
function findEnumValue({ values }: DescEnum, text: string): string | undefined {
  return values.find((value) => value.name === text || String(value.number) === text)?.name
}
