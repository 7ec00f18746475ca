/** What the answers of one HTTP request have in common. */
export interface Moment {
  /** RFC 3339. */
  readonly timestamp: string
  /** A number as JSON: how long the evaluation took, in milliseconds, to a microsecond. */
  readonly durationMillis: string
  /** Both, as members of the JSON of an answer. */
  readonly members: string
}

/** @param startedAt by `performance.now()` */
export function momentSince(startedAt: number): Moment {
  const micros = Math.round((performance.now() - startedAt) * 1000)
  const timestamp = timestampOf(Date.now())
  const durationMillis = thousandths[micros] ?? String(micros / 1000)
  const members = `"requestDurationMillis":${durationMillis},"timestamp":"${timestamp}"`
  return { timestamp, durationMillis, members }
}

/** 0, 0.001 and so on to 0.999 as JSON, because writing a fraction takes as long as evaluating a flag. */
const thousandths = Array.from({ length: 1000 }, (_, number) => String(number / 1000))

let lastMs = Number.NaN
let lastText = ''

/** RFC 3339 as ProtoJSON writes it: no fraction of zeros. Many answers have the same millisecond. */
function timestampOf(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms
    lastText = new Date(ms).toISOString().replace('.000Z', 'Z')
  }
  return lastText
}
