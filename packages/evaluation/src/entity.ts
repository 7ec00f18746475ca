import type { Context } from './context.ts'
import { crc32 } from './crc32.ts'

/**
 * Whom flags are evaluated for. Flags that ask about the same segments share what was found out about
 * an entity, so make one for all flags that are evaluated at a time; its context must not change.
 */
export interface Entity {
  readonly id: string
  readonly context: Context
  /** No other entity has it. Segments remember it instead of the entity, whose context may be large. */
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
