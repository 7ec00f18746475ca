import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { isTimestamp } from '@svc/contract'
import { choicesOf, ruleOf } from './openapi-rules.ts'
import { type Direction, isAlwaysThere } from './openapi-schemas.ts'

/** A request or an answer as the document shows it, in JSON. */
export type Example = Readonly<Record<string, unknown>>

const instant = '2026-01-31T12:00:00Z'

/**
 * Made of the examples in the protos. A request has the fields that need be there, and those that have
 * an example; an answer has what is always there, too, and the first member of each one-of.
 *
 * @param except names in JSON of fields to leave out
 */
export function toExample(
  message: DescMessage,
  direction: Direction,
  except: readonly string[] = [],
): Example {
  const fields = message.fields.filter(
    (field) => !except.includes(field.jsonName) && isShown(field, direction),
  )
  return Object.fromEntries(fields.map((field) => [field.jsonName, exampleOf(field, direction)]))
}

function isShown(field: DescField, direction: Direction): boolean {
  const { example, required } = ruleOf(field)
  if (example !== undefined || required) return true
  if (direction === 'request' || choicesOf(field.parent).includes(field.jsonName)) return false
  if (field.oneof === undefined || field.proto.proto3Optional) return isAlwaysThere(field)
  const others = field.oneof.fields
  return others[0] === field && others.every((other) => ruleOf(other).example === undefined)
}

function exampleOf(field: DescField, direction: Direction): unknown {
  const { example } = ruleOf(field)
  if (example !== undefined) return example
  switch (field.fieldKind) {
    case 'list':
      return field.listKind === 'message' ? [toExample(field.message, direction)] : []
    case 'map':
      return {}
    case 'message':
      return isTimestamp(field.message) ? instant : toExample(field.message, direction)
    case 'enum':
      return field.enum.values[0]?.name
    case 'scalar':
      return zeroOf(field.scalar)
  }
}

function zeroOf(scalar: ScalarType): unknown {
  if (scalar === ScalarType.STRING) return ''
  return scalar === ScalarType.BOOL ? false : 0
}
