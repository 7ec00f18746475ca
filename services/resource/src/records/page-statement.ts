import type { Order } from './order.ts'

/** A list as SQL reads it: constants, never anything that a caller sent. */
export interface ListSql {
  /** The table. */
  readonly name: string
  /** Columns of one record. */
  readonly columns: string
  readonly where: string
  /** What of it is asked for; left out for everything. */
  readonly filter?: string
  readonly order: Order
  /** Size of a record, without reading it: so that too much of it need not be read. */
  readonly bytes: string
  /**
   * Whether these are all records of a kind in the namespace that is the first parameter. Then `bytes`
   * counts everything in a record, and the namespace's revision decides whether their number is known, but
   * for those of a filter.
   */
  readonly isNamespaceList: boolean
}

/** Columns that every row of a page has besides those of its record. */
export interface PageRow {
  /** Revision of the namespace; null unless the list is of one. */
  readonly revision: number | null
  /** Number of records on all pages; null when it is that of the revision that was given. */
  readonly totalCount: number | null
  /** How many records there are from the start of the page, up to one more than asked for. */
  readonly available: number | null
  readonly bytes: number | null
  /** What orders the list; null in the only row of an empty page. */
  readonly place0: number | string | null
  readonly place1?: number | string | null
}

/** Whether the number of records is kept for each revision. */
export function isCountKept({ isNamespaceList, filter }: ListSql): boolean {
  return isNamespaceList && filter === undefined
}

/**
 * Reads a page and counts its list. The parameters: those of `where` and `filter`, the place after which the
 * page begins, the limit, the offset, the maximum of bytes, and the revision known where counts are kept.
 *
 * @param parameters the number of those of `where` and `filter`
 */
export function pageStatement(list: ListSql, parameters: number): string {
  const { name, columns, where, filter, bytes } = list
  const order = list.order.columns
  const parameter = (index: number, type = 'bigint') => `$${parameters + index + 1}::${type}`
  const limit = parameter(order.length)
  const maxBytes = parameter(order.length + 2)
  const places = order.map((_, index) => `place${index}`)
  const sizeAndPlaces = `(${bytes})::bigint AS bytes, ${order.map(({ sql }, index) => `${sql} AS place${index}`)}`
  const direction = list.order.isDescending ? ' DESC' : ''
  const inOrder = places.map((place) => `${place}${direction}`).join(', ')
  /** @param columns SQL of those that order the list */
  const ofPage = (columns: readonly string[]) => `
    (${columns}) ${list.order.isDescending ? '<' : '>'}
      (${order.map(({ type }, index) => parameter(index, type))})
     ORDER BY ${inOrder}
     LIMIT ${limit} OFFSET ${parameter(order.length + 1)}`
  const table = `resource.${name}`
  // A filter is evaluated once for each record, for the count and the page; of the rest, a page is read.
  const matching = `SELECT position, ${sizeAndPlaces} FROM ${table} WHERE ${where} AND ${filter}`
  const candidates = filter
    ? `SELECT ${name}.*, bytes, ${places}
         FROM (SELECT * FROM matching WHERE ${ofPage(places)}) AS page JOIN ${table} USING (position)
        WHERE ${where}`
    : `SELECT *, ${sizeAndPlaces} FROM ${table}
        WHERE ${where} AND ${ofPage(order.map(({ sql }) => sql))}`
  const count = `SELECT count(*)::integer FROM ${filter ? 'matching' : `${table} WHERE ${where}`}`
  const total = isCountKept(list)
    ? `SELECT n.revision, CASE WHEN n.revision = ${parameter(order.length + 3)} THEN NULL
              ELSE (${count}) END AS "totalCount" FROM resource.namespaces AS n WHERE n.key = $1`
    : `SELECT NULL::bigint AS revision, (${count}) AS "totalCount"`
  return `
    ${filter ? `WITH matching AS MATERIALIZED (${matching})` : ''}
    SELECT total.*, page.*
      FROM (${total}) AS total
      LEFT JOIN LATERAL (
        SELECT ${columns}, available, bytes, ${places}
          FROM (
            SELECT *, count(*) OVER ()::integer AS available,
                   sum(bytes) OVER () AS all_bytes,
                   sum(bytes) OVER (ORDER BY ${inOrder}) AS bytes_up_to_here
              FROM (${candidates}) AS candidate
          ) AS ${name}
         -- The first, and those that fit; of everything, none when it will be refused.
         WHERE bytes_up_to_here = bytes
            OR bytes_up_to_here <= ${maxBytes}
               AND (${limit} IS NOT NULL OR all_bytes <= ${maxBytes})
      ) AS page ON true
     ORDER BY ${inOrder}`
}
