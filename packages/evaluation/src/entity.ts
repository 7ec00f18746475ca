import { crc32 } from './crc32.ts'

/** What is known of an entity. A key that is absent counts as one with an empty text. */
export type Context = Readonly<Record<string, string>>

/** The same with values of any JSON type, of which constraints see what {@link toContext} makes of them. */
export type ContextValues = Readonly<Record<string, unknown>>

/**
 * Whom flags are evaluated for. Flags that ask about the same segments share what was found out about
 * an entity, so make one for all flags that are evaluated at a time; its context must not change.
 */
export interface Entity {
  readonly id: string
  readonly context: ContextValues
  /** Unique. Segments cache by it instead of by the entity, whose context may be large. */
  readonly number: number
  /** The CRC-32 of its id, once it was needed. */
  crc: number | undefined
}

let count = 0

export function toEntity(id: string, context: ContextValues): Entity {
  return { id, context, number: ++count, crc: undefined }
}

export function crcOf(entity: Entity): number {
  entity.crc ??= crc32(entity.id)
  return entity.crc
}

/**
 * Makes a context of values of any JSON type: numbers, booleans, objects and arrays become their
 * JSON text, `null` is left out. A record of texts is returned as it is.
 *
 * @throws {TypeError} when a value has no JSON text because it refers to itself
 */
export function toContext(values: ContextValues): Context {
  if (isContext(values)) return values
  const context: Record<string, string> = Object.create(null)
  for (const [property, value] of Object.entries(values)) {
    const text = textOf(value)
    if (text !== undefined) context[property] = text
  }
  return context
}

/**
 * The text of one property, empty when it is absent: for constraints, which mostly ask for few of them.
 *
 * @throws {TypeError} as {@link toContext}
 */
export function textIn(context: ContextValues, property: string): string {
  const value = context[property]
  if (typeof value === 'string') return value
  // `constructor` is a name like any other: what objects inherit under such names is no value.
  if (value === undefined || !Object.hasOwn(context, property)) return ''
  return textOf(value) ?? ''
}

/** @returns `undefined` for what JSON leaves out, and for null and what becomes it */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'boolean':
      return value ? 'true' : 'false'
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined
    default: {
      const json: string | undefined = JSON.stringify(value)
      // A date, for example, is a text in JSON.
      if (json?.startsWith('"')) return JSON.parse(json)
      return json === 'null' ? undefined : json
    }
  }
}

function isContext(values: ContextValues): values is Context {
  return Object.values(values).every((value) => typeof value === 'string')
}
