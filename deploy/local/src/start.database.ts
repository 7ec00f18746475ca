import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, backoffMs } from '@svc/runtime'
import { type LocalPostgres, startPostgres } from './postgres.ts'

export interface KeptPostgres {
  readonly url: string
  readonly created: boolean
  readonly reused: boolean
  stop(): Promise<void>
  /** An immediate shutdown: what runs is cut off, and the next start recovers. */
  kill(): void
}

/**
 * Starts the embedded PostgreSQL and starts it again, on the same port, whenever it ends.
 *
 * @param onRestart called when it has ended and is about to be started
 * @param onFailure called when it cannot be started again
 */
export async function keepPostgres(
  directory: string,
  onRestart: () => void,
  onFailure: (error: unknown) => void,
): Promise<KeptPostgres> {
  let isStopping = false
  const first = await startPostgres({ directory })
  let current: LocalPostgres = first

  async function keep(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      await current.ended
      if (isStopping) return
      if (!existsSync(directory)) {
        const sentence = `${directory} was removed while the service ran.`
        throw new AppError('failed_precondition', 'data_gone', sentence)
      }
      onRestart()
      await sleep(backoffMs(attempt))
      if (isStopping) return
      current = await startPostgres({ directory, port: first.port })
    }
  }
  keep().catch((error: unknown) => {
    if (!isStopping) onFailure(error)
  })

  return {
    url: first.url,
    created: first.created,
    reused: first.reused,
    stop() {
      isStopping = true
      return current.stop()
    },
    kill() {
      isStopping = true
      try {
        process.kill(current.pid, 'SIGQUIT')
      } catch {
        // It is gone.
      }
    },
  }
}

/**
 * Whether anyone answers where the URL points. Who may use it, the services find out.
 *
 * @throws {AppError} `failed_precondition` when nobody does
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
