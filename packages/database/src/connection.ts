import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, unavailable } from '@svc/runtime'
import pg from 'pg'
import { Hosts, ReadOnlyServer } from './hosts.ts'
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

  /** What every connection has in common. Settings of a session are no part of it: poolers drop them. */
  configFor(url: string): pg.ClientConfig {
    return {
      connectionString: verifyingServer(url),
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
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
 * The driver verifies certificate and host name for each mode that asks for TLS, and warns of those that do
 * less in libpq.
 */
function verifyingServer(url: string): string {
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

/**
 * One connection outside of any pool, for a session of its own; of several hosts, to the one that takes
 * writes.
 *
 * @throws {AppError} `unavailable` without an answer, or without a host that takes writes;
 *   `failed_precondition` when the server refuses the connection; the message is for the operator
 */
export function openConnection(url: string, config: pg.ClientConfig): Promise<Connection> {
  const hosts = new Hosts(url)
  return hosts.connect((one) => connect(hosts, one, config))
}

async function connect(hosts: Hosts, url: string, config: pg.ClientConfig): Promise<Connection> {
  const sockets = new Sockets()
  const client = newClient({ ...sockets.configFor(url), ...config })
  try {
    await client.connect()
    await hosts.expectPrimary(client)
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

function newClient(config: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client(config).on('error', () => {})
  } catch (cause) {
    // It reads the files of `sslrootcert`, `sslcert` and `sslkey`.
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Can't use the URL of PostgreSQL: ${reason}.`
    throw new AppError('failed_precondition', 'database_url_unusable', message, { cause })
  }
}

function connectError({ host, port }: pg.Client, error: unknown): AppError {
  if (error instanceof ReadOnlyServer) {
    const message = `PostgreSQL at ${host}:${port} takes no writes: it is a standby, or read-only.`
    return unavailable(message, { cause: error })
  }
  if (error instanceof pg.DatabaseError && !/^(08|53|57)/.test(error.code ?? '')) {
    const message = `PostgreSQL at ${host}:${port} refuses the connection: ${error.message}.`
    return new AppError('failed_precondition', 'database_refused', message, { cause: error })
  }
  const { code, message }: Partial<NodeJS.ErrnoException> = error instanceof Error ? error : {}
  const sentence = `Can't reach PostgreSQL at ${host}:${port} (${code ?? message}).`
  return unavailable(sentence, { cause: error })
}
