import { shortestFloat } from '@svc/evaluation'
import { type DocumentOf, type Kind, type Member, type Shape, shapeOf } from './shapes.ts'

/**
 * The one text of a document, which is logged and hashed: JSON without white space, members in the
 * order of the proto, zero values left out, numbers as the shortest decimal of their 32-bit float.
 * `metadata` stays as it is, with the order of its members; `{}` is none. Equal documents have equal
 * texts, to the byte.
 *
 * @param document whose numbers are finite, as the database and `toDocument` give it
 */
export function canonicalText<K extends Kind>(kind: K, document: DocumentOf[K]): string {
  return JSON.stringify(toJson(shapeOf[kind], document))
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A message as JSON without zero values, members in the order of the proto. Shares its metadata. */
export function toJson(shape: Shape, message: object): JsonObject {
  const json: Record<string, unknown> = {}
  for (const [name, member] of shape.entries) {
    const value = memberJson(member, Reflect.get(message, name))
    if (value !== undefined) json[name] = value
  }
  return json
}

/** @returns nothing for a zero value, and for what is left out */
export function memberJson(member: Member, value: unknown): unknown {
  switch (member.type) {
    case 'text':
    case 'boolean':
      return value || undefined
    case 'float':
      return toFloat(Number(value)) || undefined
    case 'enum':
      return value === member.values[0] ? undefined : value
    case 'texts':
      return elementsOf(value).length === 0 ? undefined : value
    case 'json':
      return Object.keys(value ?? {}).length === 0 ? undefined : value
    case 'message':
      return value instanceof Object ? toJson(member.shape, value) : undefined
    case 'list': {
      const elements = elementsOf(value)
      return elements.length === 0 ? undefined : elements.map((item) => toJson(member.shape, item))
    }
  }
}

/** The elements of a list in a message. */
export function elementsOf(list: unknown): readonly object[] {
  return Array.isArray(list) ? list : []
}

/** A number as the shortest decimal of its 32-bit float. */
export function toFloat(value: number): number {
  return shortestFloat(Math.fround(value))
}
