import { compact, readNumber, readText } from '../../app/search.ts'

/** What the URL of the page says. */
export interface SessionsSearch {
  readonly q?: string
  /** Whose sessions alone are shown: the one whom this issuer knows by this subject. */
  readonly issuer?: string
  readonly subject?: string
  readonly page?: number
}

export function readSessionsSearch(search: Record<string, unknown>): SessionsSearch {
  const issuer = readText(search.issuer)
  const subject = readText(search.subject)
  return compact({
    q: readText(search.q),
    ...(issuer !== undefined && subject !== undefined && { issuer, subject }),
    page: readNumber(search.page),
  })
}
