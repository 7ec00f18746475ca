import type { Queryable } from './database.ts'
import type { PooledConnection } from './pooled-connection.ts'

export interface TransactionOptions {
  /** @default 'read committed' */
  readonly isolation?: Isolation
}

type Isolation = 'read committed' | 'repeatable read' | 'serializable'

/** Leaves the connection outside of any transaction, or broken. */
export async function runTransaction<T>(
  connection: PooledConnection,
  work: (tx: Queryable) => Promise<T>,
  isolation: Isolation = 'read committed',
): Promise<T> {
  await connection.execute(`BEGIN ISOLATION LEVEL ${isolation}`)
  let ended = false
  const tx: Queryable = {
    async query(text, values) {
      // By now the connection may serve someone else.
      if (ended) throw new Error('the transaction has ended')
      return connection.query(text, values)
    },
  }
  try {
    const result = await work(tx)
    ended = true
    const completed = await connection.execute('COMMIT')
    if (completed !== 'COMMIT')
      throw new Error('rolled back: an error in it was caught and ignored')
    return result
  } catch (error) {
    ended = true
    if (!connection.isBroken) {
      await connection.execute('ROLLBACK').catch(() => {
        connection.isBroken = true
      })
    }
    throw error
  }
}
