import { compact, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface SegmentsSearch {
  readonly q?: string
}

export function readSegmentsSearch(search: Record<string, unknown>): SegmentsSearch {
  return compact({ q: readText(search.q) })
}
