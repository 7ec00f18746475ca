interface Timestamp {
  readonly seconds: number
  readonly nanos: number
}

/** RFC 3339 in UTC as ProtoJSON has it: with 0, 3, 6 or 9 digits of a second. */
export function timestampText({ seconds, nanos }: Timestamp = { seconds: 0, nanos: 0 }): string {
  const whole = new Date(seconds * 1000).toISOString().slice(0, 19)
  if (nanos === 0) return `${whole}Z`
  const digits = String(nanos).padStart(9, '0')
  return `${whole}.${digits.replace(/(?:000){1,2}$/, '')}Z`
}
