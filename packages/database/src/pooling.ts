import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { type Connection, openConnection } from './connection.ts'

/**
 * What a URL leads to: `session` is PostgreSQL itself, or a pooler that gives each connection a session of its
 * own; `transaction` is a pooler that lends a session for a transaction, and knows the prepared statements of
 * each connection. With `unprepared` it does not know them; `statement` has no transactions.
 */
export type Pooling = 'session' | 'transaction' | 'unprepared' | 'statement'

/** Maximum wait for an answer at a start: a pooler may wait for a server that is not there. */
export const answerTimeoutMs = 5000

/** Tries of two connections to get the same session: one pooler lends the one that was returned last. */
const maxTries = 10

/**
 * Finds out how a server pools sessions, by what it does: poolers do not say what they are.
 *
 * @throws {AppError} as {@link openConnection} does
 */
export async function detectPooling(connection: Connection, url: string): Promise<Pooling> {
  const { client } = connection
  if (await isDirect(client)) return 'session'
  const statement = `svc_probe_${randomBytes(6).toString('hex')}`
  try {
    await client.query('BEGIN')
    const { rows } = await client.query<{ isKnown: boolean }>({
      name: statement,
      text: 'SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = $1) AS "isKnown"',
      values: [statement],
    })
    await client.query('COMMIT')
    // Such a pooler gives each statement a name of its own in the session.
    if (rows[0]?.isKnown !== true) return 'transaction'
  } catch (error) {
    if (isOfStatementPooling(error)) return 'statement'
    throw error
  }
  return (await lendsSessions(client, url)) ? 'unprepared' : 'session'
}

/** PgBouncer has the same code for most of its errors: that it cannot reach the server, among others. */
function isOfStatementPooling(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.message.includes('statement pooling')
}

/** A pooler does not tell its clients the process of a session: it makes up a number. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  // The driver's types lack `processID`.
  const { processID } = client as pg.Client & { readonly processID: number }
  return (await backendOf(client)) === processID
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid
}

/** Whether another connection gets the session of this one between its transactions. */
async function lendsSessions(client: pg.Client, url: string): Promise<boolean> {
  const config = { application_name: 'svc probe', query_timeout: answerTimeoutMs }
  const other = await openConnection(url, config)
  try {
    for (let i = 0; i < maxTries; i += 1) {
      const before = await backendOf(client)
      await other.client.query('BEGIN')
      const lent = await backendOf(other.client)
      const now = await backendOf(client)
      await other.client.query('COMMIT')
      if (lent === before || now !== before) return true
    }
    return false
  } finally {
    await other.close()
  }
}
