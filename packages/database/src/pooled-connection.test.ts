import type { PoolClient, QueryConfig } from 'pg'
import t from 'tap'
import type { Queryable } from './database.ts'
import { PooledConnection, StatementNames, type TransactionOptions } from './pooled-connection.ts'

const read = { isRead: true }

/** What a transaction sends, in its order, when it makes all of its statements in one turn. */
async function sentBy(work: (tx: Queryable) => Promise<unknown>, options?: TransactionOptions) {
  const sent: string[] = []
  const client = {
    connection: { stream: { cork() {}, uncork() {} } },
    async query({ text }: QueryConfig) {
      sent.push(text)
      // As an answer does, it comes in another turn.
      await new Promise(setImmediate)
      return { rows: [], command: text }
    },
  }
  const connection = new PooledConnection(client as unknown as PoolClient, new StatementNames())
  await connection.transaction(work, options)
  return sent.slice(1)
}

t.test('statements are sent in the order of the calls', async (t) => {
  const locked = (tx: Queryable) =>
    Promise.all([
      tx.query('LOCK 1'),
      tx.query('READ 1', [], read),
      tx.query('LOCK 2'),
      tx.query('READ 2', [], read),
    ])
  const expected = ['LOCK 1', 'READ 1', 'LOCK 2', 'READ 2', 'COMMIT']
  t.strictSame(await sentBy(locked), expected)
  t.strictSame(await sentBy(locked, { readsFirst: true }), expected, 'while BEGIN has no answer')
  t.strictSame(await sentBy(locked, { readOnly: true }), expected)

  const later = async (tx: Queryable) => {
    await tx.query('FIRST')
    await locked(tx)
  }
  t.strictSame(await sentBy(later), ['FIRST', ...expected])
  t.strictSame(await sentBy(later, { readsFirst: true }), ['FIRST', ...expected])
})
