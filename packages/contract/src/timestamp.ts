import type { DescMessage } from '@bufbuild/protobuf'

// RFC 3339 section 5.6. A leap second is no instant that Postgres or JavaScript could keep.
const format =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[-+](?:[01]\d|2[0-3]):[0-5]\d)$/i

export function isTimestamp(message: DescMessage | undefined): boolean {
  return message?.typeName === 'google.protobuf.Timestamp'
}

/**
 * A date-time in the form that ProtoJSON takes: upper case, at most nine digits of a second.
 *
 * @returns `undefined` for what is not an RFC 3339 date-time of the years 0001 to 9999
 */
export function toProtoTimestamp(text: string): string | undefined {
  const [, year, month, day] = format.exec(text) ?? []
  if (year === undefined || Number(day) > daysIn(Number(year), Number(month))) return undefined
  const seconds = Math.floor(Date.parse(text.replace(/\.\d+/, '')) / 1000)
  if (seconds < earliest || seconds > latest) return undefined
  return text.toUpperCase().replace(/(\.\d{9})\d+/, '$1')
}

const earliest = Date.parse('0001-01-01T00:00:00Z') / 1000
const latest = Date.parse('9999-12-31T23:59:59Z') / 1000

function daysIn(year: number, month: number): number {
  const last = new Date(0)
  last.setUTCFullYear(year, month, 0)
  return last.getUTCDate()
}
