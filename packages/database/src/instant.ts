/** A moment, with the microseconds that PostgreSQL keeps and a `Date` would lose. */
export interface Instant {
  /** Since 1970 in UTC, negative before. */
  readonly seconds: number
  /** From 0 to 999,999,999, counted forwards from `seconds`. */
  readonly nanos: number
}

const pattern =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d)?:?(\d\d)?)$/

/**
 * Parses RFC 3339, and PostgreSQL's `timestamptz` of a column (`2026-01-02 03:04:05.678901+00`) or in
 * JSON (`2026-01-02T03:04:05.678901+00:00`).
 *
 * @throws {RangeError} for anything else, `infinity` and years beyond 0 to 9999 among it
 */
export function parseInstant(text: string): Instant {
  const match = pattern.exec(text)
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0', rest = '0'] = match ?? []
  const local = Date.parse(`${date}T${time}Z`) / 1000
  if (Number.isNaN(local)) throw new RangeError(`not an instant: ${text}`)
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
  const seconds = sign === '-' ? local + offset : local - offset
  return { seconds, nanos: Number(fraction.padEnd(9, '0')) }
}

export function isBefore(a: Instant, b: Instant): boolean {
  return a.seconds === b.seconds ? a.nanos < b.nanos : a.seconds < b.seconds
}

/** RFC 3339 in UTC, which PostgreSQL takes as a `timestamptz` parameter. */
export function formatInstant({ seconds, nanos }: Instant): string {
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0')}`
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}${fraction}Z`
}
