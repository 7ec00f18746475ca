import { compact, readNumber, readText, readWord } from '../../app/search.ts'
import { readTimeRange, type TimeRange } from '../../history/range-search.ts'

/** What the service writes down, in the order of the menu. */
export const eventTypes = [
  'login.succeeded',
  'login.refused',
  'request.refused',
  'workload.exchanged',
  'session.signed_out',
  'session.ended',
  'token.created',
  'token.rotated',
  'token.deleted',
  'token.expired',
  'cli.allowed',
] as const
export type EventType = (typeof eventTypes)[number]

/** What the URL of the page says. */
export interface AuditSearch extends TimeRange {
  readonly type?: EventType
  /** The id of who did it. */
  readonly actor?: string
  /** The id of the token or session that it is about. */
  readonly subject?: string
  /** As the service has named it. */
  readonly page?: string
  /** The number of the event that is shown whole. */
  readonly open?: number
}

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return compact({
    type: readWord(search.type, eventTypes),
    actor: readText(search.actor),
    subject: readText(search.subject),
    ...readTimeRange(search),
    page: readText(search.page),
    open: readNumber(search.open),
  })
}
