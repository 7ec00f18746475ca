import { AppError, unavailable } from '@svc/runtime'
import pg from 'pg'
import { columnTypes } from './column-types.ts'
import { Sockets } from './sockets.ts'

export interface Connection {
  readonly client: pg.Client
  /** Never throws. Waits for the server for a second at most. */
  close(): Promise<void>
}

/**
 * One connection outside of any pool, for a session of its own.
 *
 * @throws {AppError} `unavailable` without an answer, `failed_precondition` when the server refuses
 *   the connection; the message is for the operator
 */
export async function openConnection(url: string, config: pg.ClientConfig): Promise<Connection> {
  const sockets = new Sockets()
  const client = new pg.Client({
    connectionString: url,
    // Ten times as long as across a continent with TLS.
    connectionTimeoutMillis: 1500,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5000,
    options: '-c TimeZone=UTC',
    types: columnTypes,
    stream: sockets.create,
    ...config,
  })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    sockets.destroy()
    throw connectError(client, error)
  }
  return {
    client,
    async close() {
      client.end().catch(() => {})
      await sockets.close(1000)
    },
  }
}

function connectError({ host, port }: pg.Client, error: unknown): AppError {
  if (error instanceof pg.DatabaseError && !/^(08|53|57)/.test(error.code ?? '')) {
    const message = `PostgreSQL at ${host}:${port} refuses the connection: ${error.message}.`
    return new AppError('failed_precondition', 'database_refused', message, { cause: error })
  }
  return unavailable(`Can't reach PostgreSQL at ${host}:${port} (${describe(error)}).`, {
    cause: error,
  })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
