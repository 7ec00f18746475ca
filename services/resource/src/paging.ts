import type { Queryable } from '@svc/database'
import { maxMessageBytes } from '@svc/rpc'
import { AppError, invalidArgument } from '@svc/runtime'

/** What every list request has. */
export interface PageRequest {
  readonly limit: number
  readonly offset: number
  readonly pageToken: string
}

/** A page to be read: what comes after `after`, which is where the page before ended. */
export interface Page {
  /** 0 for everything. */
  readonly limit: number
  readonly offset: number
  readonly after: readonly number[]
  /** What the records may take as they are sent, unless one alone takes more. */
  readonly maxBytes: number
}

/** Far less than an answer may have; the page ends early and says where to go on. */
const maxPageBytes = 8 * 2 ** 20

/** Of a list without a limit: all that an answer carries, but for what else is in it. */
const maxListBytes = maxMessageBytes - 2 ** 16

/** What a list is read with: constants, never anything that a caller sent. */
interface ListSql {
  /** The table, and the short name that the other pieces call it by. */
  readonly from: readonly [table: string, alias: string]
  /** Its parameters are `values`. */
  readonly where: string
  /** One record, as JSON. */
  readonly item: string
  /** What is long in a record, without reading it: so that too much of it need not be read. */
  readonly bytes: string
  /** The whole numbers, from 1, that order the list; together they are unique. */
  readonly order: readonly string[]
  readonly values: readonly unknown[]
}

export interface ListQuery<Row, T> extends ListSql {
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
 * One statement counts the set and reads the page, so that the two agree.
 *
 * @throws {AppError} when everything is asked for, and is too much
 */
export async function readPage<Row, T>(
  db: Queryable,
  query: ListQuery<Row, T>,
  { limit, offset, after, maxBytes }: Page,
): Promise<PageOf<T>> {
  const { order, values } = query
  // One more than asked for tells whether there is a next page.
  const most = limit === 0 ? null : limit + 1
  const rows = await db.query<PageRow<Row>>(toSql(query), [
    ...values,
    ...after,
    most,
    offset,
    maxBytes,
  ])
  // An empty page still has a row, which carries the count.
  const found = rows.flatMap(({ item, place }) => (item === null ? [] : [{ item, place }]))
  const items: T[] = []
  let room = maxBytes
  for (const { item } of limit === 0 ? found : found.slice(0, limit)) {
    const message = query.toMessage(item)
    room -= query.messageType.encode(message).finish().length + bytesPerMember
    if (room < 0 && items.length > 0) break
    items.push(message)
  }
  const totalCount = rows[0]?.totalCount ?? 0
  const hasMore = items.length < (rows[0]?.available ?? 0)
  if (limit === 0 && (hasMore || room < 0)) throw listTooLarge()
  const last = found[items.length - 1]?.place ?? order.map(() => 0)
  return { items, nextPageToken: hasMore ? toToken(last) : '', totalCount }
}

/** A record that is a member of a message also has a tag and a length. */
const bytesPerMember = 6

interface PageRow<Row> {
  readonly totalCount: number
  /** How many records there are from the start of the page, up to one more than asked for. */
  readonly available: number | null
  readonly item: Row | null
  readonly place: number[]
}

function toSql({ from: [table, alias], where, ...query }: ListSql): string {
  const { item, bytes, order, values } = query
  const columns = order.join(', ')
  const parameter = (index: number) => `$${values.length + index + 1}::bigint`
  const most = parameter(order.length)
  const maxBytes = parameter(order.length + 2)
  return `
    SELECT total.count AS "totalCount", page.available, page.item,
           json_build_array(${order.map((column) => `page.${column}`)}) AS place
      FROM (SELECT count(*)::integer FROM ${table} AS ${alias} WHERE ${where}) AS total
      LEFT JOIN LATERAL (
        SELECT ${columns}, available,
               -- Of everything, nothing need be read when it will be refused.
               CASE WHEN ${most} IS NOT NULL OR all_bytes <= ${maxBytes} THEN ${item} END AS item
          FROM (
            SELECT *, count(*) OVER ()::integer AS available,
                   sum(bytes) OVER () AS all_bytes,
                   sum(bytes) OVER (ORDER BY ${columns}) AS bytes_up_to_here
              FROM (
                SELECT *, ${bytes} AS bytes FROM ${table} AS ${alias}
                 WHERE ${where} AND (${columns}) > (${order.map((_, index) => parameter(index))})
                 ORDER BY ${columns}
                 LIMIT ${most} OFFSET ${parameter(order.length + 1)}
              ) AS candidate
          ) AS ${alias}
         WHERE bytes_up_to_here <= ${maxBytes} OR bytes_up_to_here = bytes
      ) AS page ON true
     ORDER BY ${order.map((column) => `page.${column}`)}`
}

function listTooLarge(): AppError {
  const message = 'the list is too large for one answer; ask for pages with limit'
  return new AppError('invalid_argument', 'list_too_large', message)
}

function toToken(place: readonly number[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** @throws {AppError} unless {@link toToken} made it for a list of this kind */
function readToken(token: string, length: number): readonly number[] {
  const place = parsePlace(Buffer.from(token, 'base64url').toString())
  if (place?.length === length && toToken(place) === token) return place
  // The answer quotes the token, which may be as long as a request.
  const quoted = token.length > 255 ? `${token.slice(0, 255)}…` : token
  throw invalidArgument(`pageToken is not valid: "${quoted}"`)
}

function parsePlace(text: string): number[] | undefined {
  try {
    const place: unknown = JSON.parse(text)
    return Array.isArray(place) && place.every(isPlace) ? place : undefined
  } catch {
    return undefined
  }
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value)
