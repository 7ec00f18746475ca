import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@svc/runtime'
import { type Child, startChild } from './child.ts'
import { findFreePort } from './ports.ts'
import { type Cluster, dataDirectory } from './postgres.cluster.ts'
import { endProcess, type StopSteps, tiedToParent } from './processes.ts'
import { LogFile } from './start.log.ts'

/** PostgreSQL's fast shutdown, immediate shutdown (the next start recovers), and the kernel's. */
const steps: StopSteps = [
  ['SIGINT', 3000],
  ['SIGQUIT', 1000],
  ['SIGKILL', 1000],
]

export function endServer(pid: number): Promise<void> {
  return endProcess(pid, steps)
}

/** Limit of a start. Recovery replays what was written since the last checkpoint, in seconds. */
const startLimitMs = 60_000

/**
 * Starts the server of a directory.
 *
 * @returns `undefined` when another attempt may help: processes of the last server are still ending,
 *   or another program took the port after it was found free
 * @throws {AppError} `failed_precondition` when it does not help
 */
export async function tryToStart(
  options: Cluster & { readonly port: number | undefined },
): Promise<(Child & { readonly port: number }) | undefined> {
  const { directory, binaries, user, signal } = options
  const port = options.port ?? (await findFreePort())
  const path = join(directory, 'postgres.log')
  const log = new LogFile(path)
  const { promise: ready, resolve: setReady } = Promise.withResolvers<'ready'>()
  const complaints: string[] = []
  const child = startChild(
    [...user.prefix, ...tiedToParent(), binaries.postgres, ...serverArguments(options, port)],
    {
      ...user.ids,
      cwd: '/',
      env: serverEnvironment(directory),
      steps,
      signal,
      onLine(line) {
        log.write(line)
        if (/FATAL|could not/.test(line)) complaints.push(line)
        if (line.endsWith('database system is ready to accept connections')) setReady('ready')
      },
    },
  )
  void child.ended.then(() => log.close())
  const limit = setTimeout(() => void child.stop(), startLimitMs)
  const outcome = await Promise.race([ready, child.ended])
  clearTimeout(limit)
  if (outcome === 'ready') return { ...child, port }

  const said = complaints.join('\n')
  if (/could not create any TCP\/IP sockets/.test(said)) {
    if (options.port === undefined) return undefined
    const sentence = `Port ${port} is in use. Use another one, or stop what uses it.`
    throw new AppError('failed_precondition', 'port_in_use', sentence)
  }
  if (/lock file|shared memory block/.test(said)) return undefined
  const reason = /FATAL: {2}(.*)/.exec(said)?.[1] ?? outcome.how
  const message = `PostgreSQL does not start: ${reason}. See ${path}.`
  throw new AppError('failed_precondition', 'postgres_failed', message)
}

function serverArguments({ directory, durable }: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Three services with pools of 10, or two test files at a time with a few services each.
    max_connections: '100',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', dataDirectory(directory), '-p', String(port), ...flags]
}

/**
 * PostgreSQL does not start while a process has the number in the lock file of the last server,
 * except when that is its "grandparent". The caller has ended that server, so the number is stale.
 * Shared memory that processes of the last server still hold is found all the same.
 */
function serverEnvironment(directory: string): NodeJS.ProcessEnv {
  const lock = join(dataDirectory(directory), 'postmaster.pid')
  const stale = existsSync(lock)
    ? { PG_GRANDPARENT_PID: String(Number.parseInt(readFileSync(lock, 'utf8'), 10)) }
    : {}
  return { ...process.env, LC_ALL: 'C', ...stale }
}
