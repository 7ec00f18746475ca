import { compact, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface StatusSearch {
  /** The namespace whose changes are looked at; that of the side bar unless given. */
  readonly ns?: string
}

export function readStatusSearch(search: Record<string, unknown>): StatusSearch {
  return compact({ ns: readText(search.ns) })
}
