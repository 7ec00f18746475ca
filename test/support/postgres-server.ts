import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@svc/local/postgres'
import type { Test } from './listen.ts'
import { withChildren } from './process-stats.ts'

/** A PostgreSQL of the test's own that is durable, as in production. */
export interface PostgresServer {
  readonly url: string
  readonly port: number
  /** Kills it, so that it has to recover. */
  kill(): Promise<void>
  /** Starts it again where it was; resolves when it takes connections. */
  restart(): Promise<void>
  /** Stops all of its processes until `resume`. */
  hang(): void
  resume(): void
}

export async function startPostgresServer(t: Test): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
  let postgres = await startPostgres({ directory })
  let stopped: readonly number[] = []
  const { url, port } = postgres
  const resume = () => {
    for (const pid of stopped) send(pid, 'SIGCONT')
    stopped = []
  }
  t.teardown(async () => {
    resume()
    await postgres.stop()
    await rm(directory, { recursive: true })
  })
  return {
    url,
    port,
    async kill() {
      process.kill(postgres.pid, 'SIGKILL')
      await postgres.ended
    },
    async restart() {
      postgres = await startPostgres({ directory, port })
    },
    hang() {
      // The first starts no other once it is stopped.
      process.kill(postgres.pid, 'SIGSTOP')
      stopped = withChildren(postgres.pid)
      for (const pid of stopped) send(pid, 'SIGSTOP')
    },
    resume,
  }
}

/** One that has ended meanwhile needs no signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
