import { compact } from '../app/search.ts'
import type { TimeRange } from './range-search.ts'

/** The instants of the range, as the service takes them: from `since` on, and before `until`. */
export function instantsOf({ since, until }: TimeRange): TimeRange {
  return compact({
    since: since === undefined ? undefined : startOf(since).toISOString(),
    until: until === undefined ? undefined : startOf(until, 1).toISOString(),
  })
}

/** The day of an instant by the reader's clock. */
export function dayOf(at: Date): string {
  const [year, month, day] = [at.getFullYear(), at.getMonth() + 1, at.getDate()]
  const two = (part: number) => String(part).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** The beginning of a day; days with a change of the clock have no 24 hours. */
export function startOf(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater)
}

export type Span = 'today' | 'yesterday' | 'last7' | 'last30'

/** The days of a usual range. They stay the same when time goes on, so a page of it can be linked to. */
export function rangeOf(span: Span, now = new Date()): TimeRange {
  const day = (back: number) =>
    dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - back))
  switch (span) {
    case 'today':
      return { since: day(0) }
    case 'yesterday':
      return { since: day(1), until: day(1) }
    case 'last7':
      return { since: day(6) }
    case 'last30':
      return { since: day(29) }
  }
}
