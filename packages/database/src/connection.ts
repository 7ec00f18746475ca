import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, unavailable } from '@svc/runtime'
import pg from 'pg'
import { parseInstant } from './instant.ts'

/** Maximum time to connect: ten times as long as across a continent with TLS. */
export const connectTimeoutMs = 1500

const { INT8, TIMESTAMPTZ } = pg.types.builtins

/** Parsers of column types for which the driver's own lose precision. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    if (format !== 'binary' && type === TIMESTAMPTZ) return parseInstant
    if (format !== 'binary' && type === INT8) return parseInteger
    return pg.types.getTypeParser(type, format)
  },
}

/** @throws {RangeError} beyond 2^53, where adjacent integers become equal */
function parseInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`too large for a number: ${text}`)
  return value
}

/** The sockets of a pool or a connection. Closes them even when the server does not answer. */
export class Sockets {
  readonly #open = new Set<Socket>()

  /** What every connection has in common. */
  configFor(url: string): pg.ClientConfig {
    return {
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      options: '-c TimeZone=UTC',
      types,
      stream: () => {
        const socket = new Socket()
        this.#open.add(socket)
        return socket.once('close', () => this.#open.delete(socket))
      },
    }
  }

  /** Gives the server a second to close them all, and destroys the rest. */
  async close(): Promise<void> {
    const closed = [...this.#open].map((socket) => once(socket, 'close'))
    await Promise.race([Promise.allSettled(closed), sleep(1000, undefined, { ref: false })])
    this.destroy()
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

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
  const client = new pg.Client({ ...sockets.configFor(url), ...config })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    sockets.destroy()
    throw connectError(client, error)
  }
  return {
    client,
    close() {
      client.end().catch(() => {})
      return sockets.close()
    },
  }
}

function connectError({ host, port }: pg.Client, error: unknown): AppError {
  if (error instanceof pg.DatabaseError && !/^(08|53|57)/.test(error.code ?? '')) {
    const message = `PostgreSQL at ${host}:${port} refuses the connection: ${error.message}.`
    return new AppError('failed_precondition', 'database_refused', message, { cause: error })
  }
  const { code, message }: Partial<NodeJS.ErrnoException> = error instanceof Error ? error : {}
  const sentence = `Can't reach PostgreSQL at ${host}:${port} (${code ?? message}).`
  return unavailable(sentence, { cause: error })
}
