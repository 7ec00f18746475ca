import type { Queryable } from './database.ts'
import type { PooledConnection } from './pooled-connection.ts'

export interface TransactionOptions {
  /**
   * Every statement reads the data of the same moment, and none writes. So the first one does not
   * await BEGIN: outside of the transaction it would change nothing.
   * @default false
   */
  readonly readOnly?: boolean
}

/** After it, the connection is outside of any transaction, or marked as broken. */
export async function runTransaction<T>(
  connection: PooledConnection,
  work: (tx: Queryable) => Promise<T>,
  { readOnly = false }: TransactionOptions = {},
): Promise<T> {
  const mode = readOnly ? 'REPEATABLE READ READ ONLY' : 'READ COMMITTED READ WRITE'
  const beginning = connection.execute(`BEGIN ISOLATION LEVEL ${mode}`)
  if (!readOnly) await beginning
  let ended = false
  const tx: Queryable = {
    async query(text, values, options) {
      // The connection may serve another caller by now.
      if (ended) throw new Error('the transaction has ended')
      return connection.query(text, values, options)
    },
  }
  try {
    const [result] = await Promise.all([work(tx), beginning])
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
