/** An instant of the API, such as `2026-11-25 18:22:03Z`. */
export function timeText(instant: string | undefined): string {
  return instant === undefined ? '' : `${instant.slice(0, 19).replace('T', ' ')}Z`
}

const units: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** A length of time in its largest unit, such as `3 d` or `41 ms`. */
export function spanText(ms: number): string {
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= size) ?? ['ms', 1]
  return `${Math.round(ms / size)} ${unit}`
}

/** Such as `1 flag` and `2 flags`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
