import { compact, readNumber, readText, readWord } from '../../app/search.ts'
import { readTimeRange, type TimeRange } from '../../history/range-search.ts'
import { type Source, sources } from '../../history/sources.ts'

export const kinds = ['flag', 'segment', 'namespace'] as const
export type Kind = (typeof kinds)[number]

/** What the URL of the page says. */
export interface ChangesSearch extends TimeRange {
  readonly kind?: Kind
  /** Of an object of the kind. */
  readonly key?: string
  /** The id of who did it. */
  readonly actor?: string
  readonly source?: Source
  /** As the service has named it. */
  readonly page?: string
  /** The revision whose change is shown whole. */
  readonly open?: number
}

export function readChangesSearch(search: Record<string, unknown>): ChangesSearch {
  const kind = readWord(search.kind, kinds)
  return compact({
    kind,
    // A key alone says nothing.
    key: kind === undefined ? undefined : readText(search.key),
    actor: readText(search.actor),
    source: readWord(search.source, sources),
    ...readTimeRange(search),
    page: readText(search.page),
    open: readNumber(search.open),
  })
}
