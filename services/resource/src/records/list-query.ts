import { createHash } from 'node:crypto'
import { alternatives, invalidField } from '@svc/runtime'
import { foldCase, type Order, sorts } from './order.ts'

/** A field of a list request by which a caller filters. */
export interface Filter {
  /** Type of its value in SQL. */
  readonly type: 'text' | 'text[]' | 'boolean'
  /** SQL: whether a record meets it. @param value SQL of the value that was sent */
  readonly isMet: (value: string) => string
}

/** By field. */
export type Filters = Readonly<Record<string, Filter>>

/** The filter for a text that is in one of these columns, in upper or lower case. */
export function containedIn(...columns: readonly string[]): Filter {
  const isIn = (value: string) => (column: string) =>
    `strpos(${foldCase(column)}, ${foldCase(value)}) > 0`
  return { type: 'text', isMet: (value) => columns.map(isIn(value)).join(' OR ') }
}

/** The records that a caller asks for, and their order. */
export interface ListQuery {
  /** Names sort and filter in page tokens; empty for a list that has neither. */
  readonly queryName: string
  readonly order: Order
  /** SQL condition; left out when every record of the list is asked for. */
  readonly filter?: string
  /** Parameters of the filter. */
  readonly values: readonly unknown[]
}

/**
 * One SQL text for each order, whichever fields of a filter are sent: each text is a prepared statement.
 * Postgres plans it for the values, and leaves out what is NULL.
 *
 * @param scope what names the list; its values are parameters before those of the filter
 * @throws {AppError} for a sort that there is not
 */
export function toListQuery(
  request: object,
  defaultOrder: Order,
  filters: Filters,
  scope: readonly unknown[],
): ListQuery {
  const sort: unknown = Reflect.get(request, 'sort')
  const order = typeof sort === 'string' && sort !== '' ? findOrder(sort) : defaultOrder
  const values = Object.keys(filters).map((field) => toSought(Reflect.get(request, field)))
  const isFiltered = values.some((value) => value !== null)
  if (!isFiltered && order === defaultOrder) return { queryName: '', order, values: [] }
  const queryName = nameOf(`${sort}`, [...scope, ...values])
  if (!isFiltered) return { queryName, order, values: [] }
  const conditions = Object.values(filters).map(({ type, isMet }, index) => {
    const value = `$${scope.length + index + 1}::${type}`
    return `(${value} IS NULL OR ${isMet(value)})`
  })
  return { queryName, order, filter: conditions.join(' AND '), values }
}

function findOrder(sort: string): Order {
  const order = sorts.get(sort)
  if (order !== undefined) return order
  throw invalidField('sort', `must be ${alternatives(sorts.keys())}`)
}

/** `null` for what was not sent. Of a list, the order does not matter. */
function toSought(value: unknown): unknown {
  if (value === undefined || value === '') return null
  if (!Array.isArray(value)) return value
  return value.length === 0 ? null : [...new Set(value)].sort()
}

/** The name of a query in page tokens. @param sort of letters and `-` */
export function nameOf(sort: string, values: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('base64url')
  return `${sort}:${hash.slice(0, 11)}`
}
