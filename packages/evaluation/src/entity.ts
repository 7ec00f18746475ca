import { crc32 } from './crc32.ts'

/** What is known of an entity. A key that is absent counts as one with an empty text. */
export type Context = Readonly<Record<string, string>>

/**
 * Whom flags are evaluated for. Flags that ask about the same segments share what was found out about
 * an entity, so make one for all flags that are evaluated at a time; its context must not change.
 */
export interface Entity {
  readonly id: string
  readonly context: Context
  /** Unique. Segments cache by it instead of by the entity, whose context may be large. */
  readonly number: number
  /** The CRC-32 of its id, once it was needed. */
  crc: number | undefined
}

let count = 0

export function toEntity(id: string, context: Context): Entity {
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
export function toContext(values: Readonly<Record<string, unknown>>): Context {
  if (isContext(values)) return values
  const context: Record<string, string> = Object.create(null)
  for (const [property, value] of Object.entries(values)) {
    if (value === null) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (text !== undefined) context[property] = text
  }
  return context
}

function isContext(values: Readonly<Record<string, unknown>>): values is Context {
  return Object.values(values).every((value) => typeof value === 'string')
}
