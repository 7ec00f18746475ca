import { compact, readMark, readText, readTexts, readWord } from '../../app/search.ts'

const kinds = ['segments'] as const

/** What the URL of the page says. */
export interface CompareSearch {
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Which list; flags unless said. */
  readonly list?: (typeof kinds)[number] | undefined
  /** Keys of flags, and of segments, that are to be taken over. */
  readonly flag?: readonly string[] | undefined
  readonly segment?: readonly string[] | undefined
  readonly review?: true | undefined
}

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  return compact({
    from: readText(search.from),
    to: readText(search.to),
    list: readWord(search.list, kinds),
    flag: readTexts(search.flag),
    segment: readTexts(search.segment),
    review: readMark(search.review),
  })
}
