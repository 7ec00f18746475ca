import type { Language } from './language.ts'

export interface Format {
  number(value: number): string
  /** @param percentage 0 to 100 */
  share(percentage: number): string
  /** Where an entity stands, to the last of the places that there are. @param at 0 to 100 */
  place(at: number): string
  /** A share by as many decimals. @param percentage 0 to 100 */
  exactShare(percentage: number): string
  /** Both in UTC and by the reader's clock; the one that they have chosen first. */
  dateTime(at: string): string
  /** `1 Jun 2026, 00:00`, in UTC. @param at in milliseconds since 1970 */
  utc(at: number): string
  /** The same by the reader's clock. @param at in milliseconds since 1970 */
  local(at: number): string
  /** Date and time, by the clock that the reader has chosen. */
  moment(at: string): string
  /** `12:03`, by the clock that the reader has chosen. @param at in milliseconds since 1970 */
  timeOfDay(at: number): string
  /** Such as `12 minutes ago`; after a week the date. */
  relative(at: string, now?: number): string
  /** `a, b and c` */
  list(items: Iterable<string>): string
  /** `a, b or c` */
  choice(items: Iterable<string>): string
}

const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' }
export function localeOf(language: Language): string {
  return locales[language]
}

/** Whose clock times are by. */
export type Clock = 'local' | 'utc'

const formats = new Map<string, Format>()

/** Seconds of a unit, and up to how many of them it is used. */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, seconds: number, max: number])[] = [
  ['second', 1, 60],
  ['minute', 60, 60],
  ['hour', 3600, 24],
  ['day', 86_400, 7],
]

export function formatIn(language: Language, clock: Clock = 'local'): Format {
  const key = `${language} ${clock}`
  const format = formats.get(key) ?? createFormat(locales[language], clock)
  formats.set(key, format)
  return format
}

function createFormat(locale: string, clock: Clock): Format {
  const zone = clock === 'utc' ? { timeZone: 'UTC' } : {}
  const mark = clock === 'utc' ? ' UTC' : ''
  const number = new Intl.NumberFormat(locale)
  // English writes 31%, German 31 %; two decimals are more than a share of 100,000 buckets shows.
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const exact = { maximumFractionDigits: 4 } as const
  const place = new Intl.NumberFormat(locale, exact)
  const exactShare = new Intl.NumberFormat(locale, { style: 'percent', ...exact })
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...zone })
  const dayOfYear = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...zone })
  const options = { dateStyle: 'medium', timeStyle: 'medium' } as const
  const local = new Intl.DateTimeFormat(locale, options)
  const utc = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
  const short = { dateStyle: 'medium', timeStyle: 'short' } as const
  const shortLocal = new Intl.DateTimeFormat(locale, short)
  const shortUtc = new Intl.DateTimeFormat(locale, { ...short, timeZone: 'UTC' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short', ...zone })
  const and = new Intl.ListFormat(locale, { type: 'conjunction' })
  const or = new Intl.ListFormat(locale, { type: 'disjunction' })
  return {
    number: (value) => number.format(value),
    share: (percentage) => share.format(percentage / 100),
    place: (at) => place.format(at),
    exactShare: (percentage) => exactShare.format(percentage / 100),
    utc: (at) => shortUtc.format(at),
    local: (at) => shortLocal.format(at),
    dateTime(at) {
      const both = [local.format(new Date(at)), `${utc.format(new Date(at))} UTC`]
      return (clock === 'utc' ? both.toReversed() : both).join(' · ')
    },
    moment: (at) => (clock === 'utc' ? shortUtc : shortLocal).format(new Date(at)) + mark,
    timeOfDay: (at) => time.format(at) + mark,
    relative(at, now = Date.now()) {
      const seconds = (new Date(at).getTime() - now) / 1000
      for (const [unit, size, max] of units) {
        const count = Math.trunc(seconds / size)
        if (Math.abs(count) < max) return relative.format(count, unit)
      }
      const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
      return (isThisYear ? day : dayOfYear).format(new Date(at))
    },
    list: (items) => and.format(items),
    choice: (items) => or.format(items),
  }
}
