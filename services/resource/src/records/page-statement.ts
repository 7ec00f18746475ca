/** A list as SQL reads it: constants, never anything that a caller sent. */
export interface ListSql {
  /** The table. */
  readonly name: string
  /** Columns of one record. */
  readonly columns: string
  readonly where: string
  /** Whole numbers, from 1, that order the list; together they are unique. */
  readonly order: readonly string[]
  /** Size of a record, without reading it: so that too much of it need not be read. */
  readonly bytes: string
  /**
   * Whether these are all records of a kind in the namespace that is the first parameter. Then `bytes`
   * counts everything in a record, and the namespace's revision decides whether their number is known.
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
  /** The numbers that order the list; null in the only row of an empty page. */
  readonly place0: number | null
  readonly place1?: number | null
}

/**
 * Reads a page and counts its list. The parameters: those of `where`, the place after which the page
 * begins, the limit, the offset, the maximum of bytes, and of a namespace list the revision known.
 *
 * @param parameters the number of those of `where`
 */
export function pageStatement(list: ListSql, parameters: number): string {
  const { name, columns, where, order, bytes } = list
  const orderColumns = order.join(', ')
  const parameter = (index: number) => `$${parameters + index + 1}::bigint`
  const limit = parameter(order.length)
  const maxBytes = parameter(order.length + 2)
  const count = `SELECT count(*)::integer FROM resource.${name} WHERE ${where}`
  const total = list.isNamespaceList
    ? `SELECT n.revision, CASE WHEN n.revision = ${parameter(order.length + 3)} THEN NULL
              ELSE (${count}) END AS "totalCount" FROM resource.namespaces AS n WHERE n.key = $1`
    : `SELECT NULL::bigint AS revision, (${count}) AS "totalCount"`
  return `
    SELECT total.*, page.*
      FROM (${total}) AS total
      LEFT JOIN LATERAL (
        SELECT ${columns}, available, bytes,
               ${order.map((column, index) => `${name}.${column} AS place${index}`)}
          FROM (
            SELECT *, count(*) OVER ()::integer AS available,
                   sum(bytes) OVER () AS all_bytes,
                   sum(bytes) OVER (ORDER BY ${orderColumns}) AS bytes_up_to_here
              FROM (
                SELECT *, (${bytes})::bigint AS bytes FROM resource.${name}
                 WHERE ${where}
                   AND (${orderColumns}) > (${order.map((_, index) => parameter(index))})
                 ORDER BY ${orderColumns}
                 LIMIT ${limit} OFFSET ${parameter(order.length + 1)}
              ) AS candidate
          ) AS ${name}
         -- The first, and those that fit; of everything, none when it will be refused.
         WHERE bytes_up_to_here = bytes
            OR bytes_up_to_here <= ${maxBytes}
               AND (${limit} IS NOT NULL OR all_bytes <= ${maxBytes})
      ) AS page ON true
     ORDER BY ${order.map((_, index) => `page.place${index}`)}`
}
