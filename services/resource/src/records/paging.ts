import type { Queryable } from '@svc/database'
import { maxMessageBytes } from '@svc/rpc'
import { AppError, invalidArgument } from '@svc/runtime'
import { LRUCache } from 'lru-cache'
import type { Filters, ListQuery } from './list-query.ts'
import { type Place, startOf } from './order.ts'
import { isCountKept, type ListSql, type PageRow, pageStatement } from './page-statement.ts'
import { readToken, type TokenScope, toToken } from './page-token.ts'

/** What every list request has. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
  readonly pageToken: string
}

/** A page to be read: what comes after `after`, where the page before ended. */
export interface Page {
  /** 0 for everything. */
  readonly limit: number
  readonly offset: number
  readonly after: Place
  /** Maximum bytes of the records as they are sent, unless one alone takes more. */
  readonly maxBytes: number
}

/** Maximum bytes of a page, far less than of an answer: it ends early and says where the next one begins. */
const maxPageBytes = 8 * 2 ** 20

/** Maximum bytes of a list without a limit: all that an answer carries, less what else is in it. */
const maxListBytes = maxMessageBytes - 2 ** 16

/** How the records of a table are listed. */
export interface ListOptions<Message> extends Pick<ListSql, 'bytes' | 'isNamespaceList'> {
  /** Columns of whole numbers, from 1, that order the list unless a caller sorts; together they are unique. */
  readonly order: readonly string[]
  readonly filters?: Filters
  readonly messageType: { encode(message: Message): { finish(): Uint8Array } }
}

interface List<Row, Message> extends ListQuery, ListSql, Pick<ListOptions<Message>, 'messageType'> {
  /** Parameters of `where`, then of `filter`. */
  readonly values: readonly unknown[]
  toMessage(row: Row): Message
}

export interface PageOf<Message> {
  readonly items: Message[]
  readonly nextPageToken: string
  readonly totalCount: number
}

/**
 * @param request checked
 * @throws {AppError} when limit, offset and page token do not go together
 */
export function toPage({ limit, offset, pageToken }: PageRequest, scope: TokenScope): Page {
  const after = pageToken === '' ? undefined : readToken(pageToken, scope)
  if (limit === 0 && (offset > 0 || after !== undefined)) {
    throw invalidArgument('limit must be set when offset or pageToken is set')
  }
  const maxBytes = limit === 0 ? maxListBytes : maxPageBytes
  return after === undefined
    ? { limit, offset, after: startOf(scope.order), maxBytes }
    : { limit, offset: 0, after, maxBytes }
}

/**
 * The number of flags or segments of namespaces, each as of a revision, so that a page need not count
 * them. The maximum of lists takes some 100 KB.
 */
const countsByDatabase = new WeakMap<
  Queryable,
  LRUCache<string, { readonly revision: number; readonly count: number }>
>()

function countsOf(db: Queryable) {
  const counts = countsByDatabase.get(db) ?? new LRUCache({ max: 1000 })
  countsByDatabase.set(db, counts)
  return counts
}

/**
 * One statement counts the list and reads the page, so that the two agree.
 *
 * @throws {AppError} when everything is requested, and is too large
 */
export async function readPage<Row, Message>(
  db: Queryable,
  list: List<Row, Message>,
  { limit, offset, after, maxBytes }: Page,
): Promise<PageOf<Message>> {
  const counts = countsOf(db)
  const { values } = list
  const counted = `${list.name} ${values.join(' ')}`
  const known = isCountKept(list) ? counts.get(counted) : undefined
  // One more than asked for shows whether there is a next page.
  const most = limit === 0 ? null : limit + 1
  const rows = await db.query<PageRow & Row>(pageStatement(list, values.length), [
    ...values,
    ...after,
    most,
    offset,
    maxBytes,
    ...(isCountKept(list) ? [known?.revision ?? null] : []),
  ])
  const [first] = rows
  if (first === undefined) return { items: [], nextPageToken: '', totalCount: 0 }
  const totalCount = first.totalCount ?? known?.count ?? 0
  if (first.revision !== null) counts.set(counted, { revision: first.revision, count: totalCount })
  const found = rows.filter(({ place0 }) => place0 !== null)
  const wanted = limit === 0 ? found : found.slice(0, limit)
  const { items, isTooLarge } = takeWhileFits(list, wanted, maxBytes)
  const hasMore = items.length < (first.available ?? 0)
  if (limit === 0 && (hasMore || isTooLarge)) throw listTooLarge()
  const last = found[items.length - 1]
  const nextPageToken = hasMore && last !== undefined ? toToken(list, placeOf(last)) : ''
  return { items, nextPageToken, totalCount }
}

/** A record that is a member of a message also has a tag and a length. */
const bytesPerMember = 6

/** Maximum ratio of the encoded size of a record to what its row counts, with room to spare. */
const maxBytesPerCounted = 10

/** Encodes records to measure them only where they may be too large together. */
function takeWhileFits<Row, Message>(
  { isNamespaceList, toMessage, messageType }: List<Row, Message>,
  rows: readonly (PageRow & Row)[],
  maxBytes: number,
): { items: Message[]; isTooLarge: boolean } {
  const counted = rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  const isSmall = isNamespaceList && counted * maxBytesPerCounted <= maxBytes
  const items: Message[] = []
  let room = maxBytes
  for (const row of rows) {
    const message = toMessage(withoutPage(row))
    if (!isSmall) room -= messageType.encode(message).finish().length + bytesPerMember
    if (room < 0 && items.length > 0) break
    items.push(message)
  }
  return { items, isTooLarge: room < 0 }
}

function withoutPage<Row>(row: PageRow & Row): Row {
  const { revision, totalCount, available, bytes, place0, place1, ...record } = row
  return record as unknown as Row
}

function listTooLarge(): AppError {
  const message = 'the list is too large for one answer; ask for pages with limit'
  return new AppError('invalid_argument', 'list_too_large', message)
}

/** Where a page ended: at its last record. */
function placeOf({ place0, place1 }: PageRow): Place {
  return [place0, place1].filter((value) => value !== null && value !== undefined)
}
