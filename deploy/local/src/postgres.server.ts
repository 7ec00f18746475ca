import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { findFreePort, isListening } from './ports.ts'
import type { PostgresBinaries } from './postgres.binaries.ts'
import { dataDirectory } from './postgres.cluster.ts'
import { claim, readLock } from './postgres.lock.ts'
import { logFile, openLog, readLogEnd } from './postgres.log.ts'
import type { PostgresUser } from './postgres.user.ts'
import { endProcess, findProcess, tiedToParent } from './processes.ts'

export interface ServerOptions {
  readonly directory: string
  readonly binaries: PostgresBinaries
  readonly user: PostgresUser
  readonly port: number | undefined
  readonly durable: boolean
}

export interface Server {
  readonly pid: number
  readonly port: number
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the server of a directory that no other server is using.
 *
 * @returns `undefined` when it may help to try again: what is left of the last server has not all
 *   ended, somebody else was faster, or another program took the port after it was found free
 * @throws {AppError} `failed_precondition` when it does not help
 */
export async function tryToStart(options: ServerOptions): Promise<Server | undefined> {
  const { directory } = options
  const port = options.port ?? (await findFreePort())
  const { child, ended, logStart } = spawnServer(options, port)
  if ((await becomesReady(directory, child)) && isRunning(child)) {
    claim(directory)
    const stop = async () => {
      if (isRunning(child)) await stopServer(child.pid)
      await ended
    }
    return { pid: child.pid, port, ended, stop }
  }

  const said = readLogEnd(directory, logStart)
  if (options.port !== undefined && (await isListening(options.port))) {
    throw failed('port_in_use', `Port ${options.port} is in use. Use another one or stop it.`)
  }
  if (/lock file|shared memory block|could not create any TCP\/IP sockets/.test(said)) return
  const reason = /FATAL: {2}(.*)/.exec(said)?.[1] ?? 'it did not say why'
  const message = `PostgreSQL does not start: ${reason}. See ${logFile(directory)}.`
  throw failed('postgres_failed', message)
}

/** Ends a server: without harm, without a checkpoint, at once. */
export function stopServer(pid: number): Promise<void> {
  return endProcess(pid, [
    ['SIGINT', 3000],
    ['SIGQUIT', 1000],
    ['SIGKILL', 1000],
  ])
}

/** Recovery after a crash replays what was written since the last checkpoint, seconds at most. */
const startLimitMs = 60_000

function spawnServer({ directory, binaries, user, durable }: ServerOptions, port: number) {
  const command = [...user.prefix, ...tiedToParent(), binaries.postgres]
  const [program = '', ...args] = [...command, ...serverArguments(directory, port, durable)]
  const log = openLog(directory)
  const child = spawn(program, args, {
    ...user.ids,
    cwd: '/',
    // In a session of its own, so that Ctrl-C lets whoever uses it finish first.
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    env: serverEnvironment(directory),
  })
  closeSync(log.descriptor)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return { child, ended, logStart: log.start }
}

function serverArguments(directory: string, port: number, durable: boolean): string[] {
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
 * PostgreSQL refuses to start while the process named in its lock file exists, except when that is
 * its "grandparent". So a dead one that nobody has reaped, or another program under the same
 * number, is declared to be that. What still holds the old server's memory is found all the same.
 */
function serverEnvironment(directory: string): NodeJS.ProcessEnv {
  const lock = readLock(directory)
  const isStale = lock !== undefined && findProcess(lock.pid)?.program !== 'postgres'
  const ignored = isStale ? { PG_GRANDPARENT_PID: String(lock.pid) } : {}
  return { ...process.env, LC_ALL: 'C', ...ignored }
}

async function becomesReady(directory: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + startLimitMs
  while (isRunning(child)) {
    const lock = readLock(directory)
    if (lock?.ready && lock.pid === child.pid) return true
    if (performance.now() > deadline) await stopServer(child.pid)
    await sleep(10)
  }
  return false
}

function isRunning(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

function failed(reason: string, message: string): AppError {
  return new AppError('failed_precondition', reason, message)
}
