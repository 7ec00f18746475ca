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
  const timestamp = timestampNow()
  const members = `"requestDurationMillis":${durationMillis},"timestamp":"${timestamp}"`
  return { timestamp, durationMillis, members }
}

let lastMs = 0
let lastTimestamp = ''

/** As ProtoJSON writes it: no fraction of zeros. Answers of the same millisecond share the text. */
function timestampNow(): string {
  const nowMs = Date.now()
  if (nowMs !== lastMs) {
    lastMs = nowMs
    lastTimestamp = new Date(nowMs).toISOString().replace('.000Z', 'Z')
  }
  return lastTimestamp
}
