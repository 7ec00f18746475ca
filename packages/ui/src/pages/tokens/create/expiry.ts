export const presets = ['7d', '30d', '90d', '1y', 'date', 'never'] as const
export type Preset = (typeof presets)[number]

const days: Readonly<Partial<Record<Preset, number>>> = { '7d': 7, '30d': 30, '90d': 90 }
const dayMs = 24 * 3600_000

export interface Expiry {
  readonly preset: Preset
  /** That of an input for a local date and time, such as `2026-12-24T18:30`. */
  readonly date: string
}

/** @returns the instant; nothing for never; or what is wrong with the date */
export function expiryOf({ preset, date }: Expiry, now: number): string | undefined {
  if (preset === 'never') return undefined
  if (preset === 'date') {
    const at = new Date(date).getTime()
    if (Number.isNaN(at)) return 'invalid'
    return at <= now ? 'past' : new Date(at).toISOString()
  }
  const count = days[preset]
  if (count !== undefined) return new Date(now + count * dayMs).toISOString()
  const at = new Date(now)
  at.setUTCFullYear(at.getUTCFullYear() + 1)
  return at.toISOString()
}

/** An instant as an input for a local date and time has it. @param at in milliseconds since 1970 */
export function toLocalInput(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-')
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}
