import pg from 'pg'
import { parseInstant } from './instant.ts'

const { INT8, TIMESTAMPTZ } = pg.types.builtins

/** Parsers of column types for which the driver's own lose precision. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (format !== 'binary') {
      if (type === TIMESTAMPTZ) return parseInstant
      if (type === INT8) return parseInteger
    }
    return pg.types.getTypeParser(type, format)
  },
}

/** @throws {RangeError} beyond 2^53, where neighbours would become equal */
function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`too large for a number: ${text}`)
  return value
}
