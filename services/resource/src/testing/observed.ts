import type { Database, Queryable } from '@svc/database'

/** What is called for each transaction, and with the rows of each statement. */
interface Observer {
  onTransaction?(): void
  /** @param isAlone outside of a transaction */
  onRows?(rows: readonly unknown[], isAlone: boolean): void | Promise<void>
}

/** The same database, but observed. */
export function observed(db: Database, { onTransaction, onRows }: Observer): Database {
  const observe = (queryable: Queryable, isAlone: boolean): Queryable => ({
    async query<Row>(...statement: Parameters<Queryable['query']>) {
      const rows = await queryable.query<Row>(...statement)
      await onRows?.(rows, isAlone)
      return rows
    },
  })
  return {
    ...db,
    ...observe(db, true),
    transaction(work, options) {
      onTransaction?.()
      return db.transaction((tx) => work(observe(tx, false)), options)
    },
  }
}
