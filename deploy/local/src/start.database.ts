import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { AppError } from '@svc/runtime'
import { type LocalPostgres, startPostgres } from './postgres.ts'
import type { Part } from './supervisor.ts'

/** The embedded PostgreSQL. It keeps its port when it is started again. */
export function postgresPart(directory: string, onReady: (postgres: LocalPostgres) => void): Part {
  let port: number | undefined
  return {
    name: 'PostgreSQL',
    async start(signal) {
      if (port !== undefined && !existsSync(directory)) {
        const sentence = `${directory} was removed while the service ran.`
        throw new AppError('failed_precondition', 'data_gone', sentence)
      }
      const postgres = await startPostgres({ directory, port, signal })
      port = postgres.port
      onReady(postgres)
      return postgres
    },
  }
}

/**
 * Checks that the database accepts connections. Whether it accepts the role, the services find out.
 *
 * @returns its address
 * @throws {AppError} `failed_precondition` when it does not
 */
export async function reachDatabase(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  // Without a host it is a socket in the file system.
  if (hostname === '') return 'local socket'
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = `${hostname}:${port || 5432}`
  const socket = connect({ host, port: Number(port || 5432) })
  try {
    // Across a continent it takes a tenth of that.
    await once(socket, 'connect', { signal: AbortSignal.timeout(2000) })
    return place
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    const why = code === 'ABORT_ERR' ? 'no answer' : code
    const sentence = `Can't reach PostgreSQL at ${place} (${why}). Set SVC_DB_URL if it is elsewhere.`
    throw new AppError('failed_precondition', 'no_database', sentence)
  } finally {
    socket.destroy()
  }
}
