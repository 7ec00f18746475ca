import type { Database, Queryable } from './database.ts'

/**
 * Takes an advisory lock until the transaction ends. It never waits.
 *
 * @param name of the lock, such as `resource.retention`: unique in the database
 * @returns whether no other transaction has it
 */
export async function tryLock(tx: Queryable, name: string): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "isLocked"',
    [name],
  )
  return row?.isLocked === true
}

export interface PortionsOptions {
  /** Name of an advisory lock: of several processes, one does a portion at a time. */
  readonly lock: string
  /** Ends the run after the portion in progress. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a large background job in portions, in a transaction each. So none has its locks for long, and what is
 * done stays done when a later portion fails. A process that finds the lock taken leaves the rest to the other.
 *
 * @param work does one portion. @returns whether there may be more to do
 * @returns whether all is done; `false` when another process is at it, or the signal has aborted
 */
export async function runPortions(
  db: Database,
  { lock, signal }: PortionsOptions,
  work: (tx: Queryable) => Promise<boolean>,
): Promise<boolean> {
  while (signal?.aborted !== true) {
    const hasMore = await db.transaction(async (tx) =>
      (await tryLock(tx, lock)) ? work(tx) : undefined,
    )
    if (hasMore !== true) return hasMore === false
  }
  return false
}
