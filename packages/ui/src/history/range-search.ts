import { compact } from '../app/search.ts'

/** Days by the reader's clock, such as `2026-11-25`, both of them included. */
export interface TimeRange {
  readonly since?: string
  readonly until?: string
}

/** What the URL says; a day that there is not is left out. It is in the first load: keep it small. */
export function readTimeRange(search: Record<string, unknown>): TimeRange {
  const [since, until] = [readDay(search.since), readDay(search.until)]
  return since !== undefined && until !== undefined && since > until
    ? { since: until, until: since }
    : compact({ since, until })
}

function readDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined
  const at = new Date(value)
  // A day such as 30 February is another one, or none.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value) ? value : undefined
}
