import { compact, readMark } from '../../app/search.ts'

/** What the URL of the page says. */
export interface SegmentSearch {
  readonly review?: true
}

export function readSegmentSearch(search: Record<string, unknown>): SegmentSearch {
  return compact({ review: readMark(search.review) })
}
