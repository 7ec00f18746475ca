import type { Queryable } from '@svc/database'
import { invalidArgument, invalidField } from '@svc/runtime'

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
}

/** What a list is made of, as pieces of SQL: constants, never anything that a caller sent. */
export interface ListQuery {
  /** What follows `FROM`, with a `WHERE`; its parameters are `values`. */
  readonly set: string
  /** One record, as JSON. */
  readonly item: string
  /** The whole numbers, from 1, that order the list; together they are unique. */
  readonly order: readonly string[]
  readonly values: readonly unknown[]
}

export interface PageOf<T> {
  readonly items: T[]
  readonly nextPageToken: string
  readonly totalCount: number
}

/** @throws {AppError} when limit, offset and page token do not make sense */
export function toPage({ limit, offset, pageToken }: PageRequest, order: ListQuery['order']): Page {
  if (limit < 0) throw invalidField('limit', "must be greater than or equal to '0'")
  if (offset < 0) throw invalidField('offset', "must be greater than or equal to '0'")
  const after = pageToken === '' ? undefined : readToken(pageToken, order.length)
  if (limit === 0 && (offset > 0 || after !== undefined)) {
    throw invalidArgument('limit must be set when offset or pageToken is set')
  }
  return after === undefined
    ? { limit, offset, after: order.map(() => 0) }
    : { limit, offset: 0, after }
}

/** One statement counts the set and reads the page, so that the two agree. */
export async function readPage<T>(
  db: Queryable,
  { set, item, order, values }: ListQuery,
  { limit, offset, after }: Page,
): Promise<PageOf<T>> {
  const columns = order.join(', ')
  const parameter = (index: number) => `$${values.length + index + 1}::bigint`
  const rows = await db.query<{ totalCount: number; item: T | null; place: number[] }>(
    `SELECT total.count AS "totalCount", page.item,
            json_build_array(${order.map((column) => `page.${column}`)}) AS place
       FROM (SELECT count(*)::integer FROM ${set}) AS total
       LEFT JOIN LATERAL (
         SELECT ${columns}, ${item} AS item FROM ${set}
            AND (${columns}) > (${after.map((_, index) => parameter(index))})
          ORDER BY ${columns}
          LIMIT ${parameter(after.length)} OFFSET ${parameter(after.length + 1)}
       ) AS page ON true
      ORDER BY ${order.map((column) => `page.${column}`)}`,
    // One more than asked for tells whether there is a next page.
    [...values, ...after, limit === 0 ? null : limit + 1, offset],
  )
  // An empty page still has a row, which carries the count.
  const found = rows.filter((row) => row.item !== null)
  const shown = limit === 0 ? found : found.slice(0, limit)
  return {
    items: shown.flatMap((row) => row.item ?? []),
    nextPageToken: shown.length < found.length ? toToken(shown.at(-1)?.place ?? []) : '',
    totalCount: rows[0]?.totalCount ?? 0,
  }
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
