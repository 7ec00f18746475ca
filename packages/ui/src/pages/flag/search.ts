import { compact, readMark } from '../../app/search.ts'

/** What the URL of a flag says. */
export interface FlagSearch {
  /** The changes of the draft are shown. */
  readonly review?: true
}

export function readFlagSearch(search: Record<string, unknown>): FlagSearch {
  return compact({ review: readMark(search.review) })
}
