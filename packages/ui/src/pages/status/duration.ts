import { usePreferences } from '../../data/preferences.ts'
import { localeOf } from '../../text/format.ts'
import { durationOf } from './health.ts'

/** @returns what writes a duration in milliseconds, such as `3 days` */
export function useDuration(): (ms: number) => string {
  const locale = localeOf(usePreferences().language)
  return (ms) => {
    const [count, unit] = durationOf(ms)
    const format = { style: 'unit', unit, unitDisplay: 'short' } as const
    return new Intl.NumberFormat(locale, format).format(count)
  }
}
