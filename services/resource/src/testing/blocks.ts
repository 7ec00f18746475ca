import type { Database, Queryable } from '@svc/database'

/** What EXPLAIN says of a statement as a whole. */
interface Explained {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: { readonly [key in 'Shared Hit Blocks' | 'Shared Read Blocks']: number } },
  ]
}

/**
 * The same database, whose transactions also say how much each SELECT reads: it runs twice.
 *
 * @param onSelect is called with the pages of 8 KiB that the statement has read, from memory or disk
 */
export function countingBlocks(db: Database, onSelect: (blocks: number) => void): Database {
  const count = (tx: Queryable): Queryable => ({
    async query<Row>(...[text, values, options]: Parameters<Queryable['query']>) {
      if (text.startsWith('SELECT')) {
        const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`
        const [row] = await tx.query<Explained>(explain, values)
        const plan = row?.['QUERY PLAN'][0].Plan
        onSelect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0))
      }
      return tx.query<Row>(text, values, options)
    },
  })
  return {
    ...db,
    transaction: (work, options) => db.transaction((tx) => work(count(tx)), options),
  }
}
