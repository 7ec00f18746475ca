import { compact, readNumber } from '../../app/search.ts'

/** What the URL of the page says. */
export interface ChangesSearch {
  readonly page?: number
}

export function readChangesSearch(search: Record<string, unknown>): ChangesSearch {
  return compact({ page: readNumber(search.page) })
}
