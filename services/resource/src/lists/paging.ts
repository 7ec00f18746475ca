import type { Queryable } from '@svc/database'
import { maxMessageBytes } from '@svc/rpc'
import { AppError, invalidArgument } from '@svc/runtime'
import { listCountsOf } from './list-counts.ts'
import { type ListSql, type PageRow, pageStatement } from './page-statement.ts'
import { type Place, readToken, toToken } from './page-token.ts'

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

/** Maximum bytes of a page, far less than of an answer: it ends early and says where to go on. */
const maxPageBytes = 8 * 2 ** 20

/** Maximum bytes of a list without a limit: all that an answer carries, but for what else is in it. */
const maxListBytes = maxMessageBytes - 2 ** 16

export interface ListQuery<Row, T> extends ListSql {
  readonly values: readonly unknown[]
  toMessage(row: Row): T
  readonly messageType: { encode(message: T): { finish(): Uint8Array } }
}

export interface PageOf<T> {
  readonly items: T[]
  readonly nextPageToken: string
  readonly totalCount: number
}

/**
 * @param request checked
 * @throws {AppError} when limit, offset and page token do not go together
 */
export function toPage({ limit, offset, pageToken }: PageRequest, order: readonly string[]): Page {
  const after = pageToken === '' ? undefined : readToken(pageToken, order.length)
  if (limit === 0 && (offset > 0 || after !== undefined)) {
    throw invalidArgument('limit must be set when offset or pageToken is set')
  }
  const maxBytes = limit === 0 ? maxListBytes : maxPageBytes
  return after === undefined
    ? { limit, offset, after: order.map(() => 0), maxBytes }
    : { limit, offset: 0, after, maxBytes }
}

/**
 * One statement counts the list and reads the page, so that the two agree.
 *
 * @throws {AppError} when everything is asked for, and is too much
 */
export async function readPage<Row, T>(
  db: Queryable,
  query: ListQuery<Row, T>,
  { limit, offset, after, maxBytes }: Page,
): Promise<PageOf<T>> {
  const counts = listCountsOf(db)
  const { values, isNamespaceList } = query
  const list = `${query.from[0]} ${values.join(' ')}`
  const known = isNamespaceList ? counts.get(list) : undefined
  // One more than asked for tells whether there is a next page.
  const most = limit === 0 ? null : limit + 1
  const rows = await db.query<PageRow & Row>(pageStatement(query, values.length), [
    ...values,
    ...after,
    most,
    offset,
    maxBytes,
    ...(isNamespaceList ? [known?.revision ?? null] : []),
  ])
  const [first] = rows
  if (first === undefined) return { items: [], nextPageToken: '', totalCount: 0 }
  const totalCount = first.totalCount ?? known?.count ?? 0
  if (first.revision !== null) counts.set(list, { revision: first.revision, count: totalCount })
  const found = rows.filter(({ place0 }) => place0 !== null)
  const wanted = limit === 0 ? found : found.slice(0, limit)
  const { items, isTooLarge } = takeWhileFits(query, wanted, maxBytes)
  const hasMore = items.length < (first.available ?? 0)
  if (limit === 0 && (hasMore || isTooLarge)) throw listTooLarge()
  const last = found[items.length - 1]
  const nextPageToken = hasMore && last !== undefined ? toToken(placeOf(last)) : ''
  return { items, nextPageToken, totalCount }
}

function placeOf({ place0, place1 }: PageRow): Place {
  return [place0, place1].filter((number) => typeof number === 'number')
}

/** A record that is a member of a message also has a tag and a length. */
const bytesPerMember = 6

/** Maximum ratio of the encoded size of a record to what its row counts, with room to spare. */
const maxBytesPerCounted = 10

/** Encodes records to measure them only where they may be too large together. */
function takeWhileFits<Row, T>(
  { isNamespaceList, toMessage, messageType }: ListQuery<Row, T>,
  rows: readonly (PageRow & Row)[],
  maxBytes: number,
): { items: T[]; isTooLarge: boolean } {
  const counted = rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
  if (isNamespaceList && counted * maxBytesPerCounted <= maxBytes) {
    return { items: rows.map(toMessage), isTooLarge: false }
  }
  const items: T[] = []
  let room = maxBytes
  for (const row of rows) {
    const message = toMessage(row)
    room -= messageType.encode(message).finish().length + bytesPerMember
    if (room < 0 && items.length > 0) break
    items.push(message)
  }
  return { items, isTooLarge: room < 0 }
}

function listTooLarge(): AppError {
  const message = 'the list is too large for one answer; ask for pages with limit'
  return new AppError('invalid_argument', 'list_too_large', message)
}
