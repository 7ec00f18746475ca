import { compact, readMark, readNumber, readText, readWord } from '../../app/search.ts'

export const sorts = ['name', '-name', '-createdAt', 'createdAt', 'expiresAt', '-usedAt'] as const
export type Sort = (typeof sorts)[number]
export const states = ['expiring', 'expired', 'unused'] as const
export type State = (typeof states)[number]

/** What the URL of the page says. */
export interface TokensSearch {
  readonly q?: string
  /** A namespace; `*` for those that work in all. */
  readonly works?: string
  readonly state?: State
  readonly kind?: 'workload'
  readonly sort?: Sort
  readonly page?: number
  /** Whether the dialog for a new token is open. */
  readonly new?: true
}

export function readTokensSearch(search: Record<string, unknown>): TokensSearch {
  return compact({
    q: readText(search.q),
    works: readText(search.works),
    state: readWord(search.state, states),
    kind: readWord(search.kind, ['workload'] as const),
    sort: readWord(search.sort, sorts),
    page: readNumber(search.page),
    new: readMark(search.new),
  })
}
