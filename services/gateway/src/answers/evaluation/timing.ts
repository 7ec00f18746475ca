/** When the answers of one request were made, and how long that took. */
export interface Timing {
  /** RFC 3339. */
  readonly timestamp: string
  /** In milliseconds, to a microsecond. */
  readonly durationMillis: number
  /** Both, as members of the JSON of an answer. */
  readonly members: string
}

/** The last timestamp, which most requests of a millisecond share: to write one costs an evaluation. */
let last = { at: Number.NaN, text: '' }

/** @param startedAt by `performance.now()` */
export function timingSince(startedAt: number): Timing {
  const durationMillis = Math.round((performance.now() - startedAt) * 1000) / 1000
  const at = Date.now()
  // As ProtoJSON writes it: no fraction of zeros.
  if (at !== last.at) last = { at, text: new Date(at).toISOString().replace('.000Z', 'Z') }
  const members = `"requestDurationMillis":${durationMillis},"timestamp":"${last.text}"`
  return { timestamp: last.text, durationMillis, members }
}
