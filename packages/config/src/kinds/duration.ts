/** What each unit is worth in milliseconds, from the largest to the smallest. */
const milliseconds = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, ns: 1e-6 } as const
const units = Object.entries(milliseconds)

/** Each unit at most once, the larger before the smaller, and none without a number. */
const duration = new RegExp(
  `^(?=.)${units.map(([unit]) => `(?:(\\d{1,15}(?:\\.\\d{1,9})?)${unit})?`).join('')}$`,
)

/**
 * Parses a duration of Go: `1h30m`, `500ms`, `1.5h`. No sign, and no number without a unit: `30`
 * would be a guess.
 *
 * @returns milliseconds, possibly a fraction of one; `undefined` when it is not a duration
 */
export function parseDuration(text: string): number | undefined {
  const parts = duration.exec(text.replace('µ', 'u'))?.slice(1)
  return parts?.reduce((sum, count, i) => sum + Number(count ?? 0) * (units[i]?.[1] ?? 0), 0)
}
