import { compact, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface AuditSearch {
  readonly q?: string
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return compact({ q: readText(search.q) })
}
