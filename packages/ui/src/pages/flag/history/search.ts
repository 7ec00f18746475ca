import { compact, readNumber, readText, readWord } from '../../../app/search.ts'
import { readTimeRange, type TimeRange } from '../../../history/range-search.ts'
import { type Source, sources } from '../../../history/sources.ts'

/** What the URL of the tab says. */
export interface HistorySearch extends TimeRange {
  /** The id of who did it. */
  readonly actor?: string
  readonly source?: Source
  /** As the service has named it. */
  readonly page?: string
  /** The revision whose change is shown whole. */
  readonly open?: number
}

export function readHistorySearch(search: Record<string, unknown>): HistorySearch {
  return compact({
    actor: readText(search.actor),
    source: readWord(search.source, sources),
    ...readTimeRange(search),
    page: readText(search.page),
    open: readNumber(search.open),
  })
}
