import type { fieldRules } from '@svc/proto/field-rules'
import { microseconds } from './instants.ts'

/** What orders a list: SQL, which is a constant and has no NULL. */
export interface OrderColumn {
  readonly sql: string
  /** Whole numbers from 1, or texts of at most 255 characters that compare byte by byte. */
  readonly type: 'bigint' | 'text'
}

/** An order of a list. Its columns together are unique. */
export interface Order {
  readonly columns: readonly OrderColumn[]
  readonly isDescending: boolean
}

/** The values of an order's columns for one record. */
export type Place = readonly (number | string)[]

/** Ascending by columns of whole numbers. */
export function orderByNumbers(columns: readonly string[]): Order {
  return { columns: columns.map(number), isDescending: false }
}

const number = (sql: string): OrderColumn => ({ sql, type: 'bigint' })
const text = (sql: string): OrderColumn => ({ sql, type: 'text' })

/**
 * SQL: the text in lower case, one character at a time by Unicode's simple mapping, whatever the locale of
 * the database. So `Ä` is `ä`, but `ß` is not `SS`, and `ς` is not `Σ`.
 */
export const foldCase = (sql: string) => `lower(${sql} COLLATE pg_c_utf8)`

/** What the protos list. */
export type Sort = (typeof fieldRules.ListFlagsRequest.sort.values)[number]

const columnsBySort: Record<Exclude<Sort, `-${string}`>, readonly OrderColumn[]> = {
  key: [text('key')],
  name: [text(foldCase('name')), text('key')],
  createdAt: [number(microseconds('created_at')), number('position')],
  updatedAt: [number(microseconds('updated_at')), number('position')],
}

/** The orders that a caller may choose from, for tables with these columns. */
export const sorts: ReadonlyMap<string, Order> = new Map(
  Object.entries(columnsBySort).flatMap(([name, columns]): [string, Order][] => [
    [name, { columns, isDescending: false }],
    [`-${name}`, { columns, isDescending: true }],
  ]),
)

/** Greater than every text of at most 255 characters. */
const lastText = '\u{10ffff}'.repeat(256)

/** The place before the first record. */
export function startOf({ columns, isDescending }: Order): Place {
  const start = isDescending
    ? { bigint: Number.MAX_SAFE_INTEGER, text: lastText }
    : { bigint: 0, text: '' }
  return columns.map(({ type }) => start[type])
}

/** Whether a caller's value can be a place in the order. */
export function isPlace({ columns }: Order, value: readonly unknown[]): value is Place {
  return (
    value.length === columns.length &&
    columns.every(({ type }, index) => isOfType[type](value[index]))
  )
}

const isOfType: Record<OrderColumn['type'], (value: unknown) => boolean> = {
  bigint: Number.isSafeInteger,
  // What Postgres cannot store is in none.
  text: (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
}
