import { compact, readMark } from '../../app/search.ts'

/** What the URL of the page says. */
export interface TokensSearch {
  readonly new?: true
}

export function readTokensSearch(search: Record<string, unknown>): TokensSearch {
  return compact({ new: readMark(search.new) })
}
