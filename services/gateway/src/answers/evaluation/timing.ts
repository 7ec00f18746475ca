/** When the answers of one request were made, and how long that took. */
export interface Timing {
  /** RFC 3339. */
  readonly timestamp: string
  /** In milliseconds, to a microsecond. */
  readonly durationMillis: number
  /** Both, as members of the JSON of an answer. */
  readonly members: string
}

/** @param startedAt by `performance.now()` */
export function timingSince(startedAt: number): Timing {
  const durationMillis = Math.round((performance.now() - startedAt) * 1000) / 1000
  // As ProtoJSON writes it: no fraction of zeros.
  const timestamp = new Date().toISOString().replace('.000Z', 'Z')
  const members = `"requestDurationMillis":${durationMillis},"timestamp":"${timestamp}"`
  return { timestamp, durationMillis, members }
}
