import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from './ports.ts'
import {
  type Cluster,
  commandPrefix,
  createCluster,
  dataDirectory,
  findBinaries,
  readPassword,
  role,
} from './postgres.cluster.ts'
import { type Child, endProcess, findProcess, startChild } from './processes.ts'
import { startError } from './start.errors.ts'
import { appendToLog } from './start.log.ts'

export interface PostgresOptions {
  /** Holds the data, the password and the log. Made when missing; the caller alone uses it. */
  readonly directory: string
  /** On 127.0.0.1. @default one that is free */
  readonly port?: number | undefined
  /** `false` is faster and loses data with the machine's power: for tests. @default true */
  readonly durable?: boolean
  /** Ends the server, and a start that is under way. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Starts the PostgreSQL server that came with the packages, on loopback, with a random password. It
 * ends when this process does, however that ends. On macOS it may stay; the next start ends it.
 *
 * @returns the process, its URL with the password in it, and whether this call made the data directory
 * @throws {AppError} `failed_precondition` with a sentence for the terminal
 */
export async function startPostgres(options: PostgresOptions) {
  const { durable = true, signal } = options
  const directory = resolve(options.directory)
  const binaries = await findBinaries()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  await endLeftover(directory)
  const cluster = { directory, binaries, durable, signal }
  const created = await createCluster(cluster)
  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await findFreePort())
    const started = await tryToStart(cluster, port)
    if (typeof started !== 'string') {
      return { ...started, port, url: urlOf(directory, port), created }
    }
    if (attempt === maxAttempts || signal?.aborted || !transient.test(started)) {
      const log = logOf(directory)
      throw startError(`PostgreSQL does not start: ${started}. See ${log}.`)
    }
    await sleep(200)
  }
}

/** Another program took the port, or processes of the last server are still ending. */
const transient = /TCP\/IP sockets|lock file|shared memory block/

/** The processes of a server that was killed end within some ten seconds. */
const maxAttempts = 40

/** What a server says when it serves; a standby, only reads. */
const readyPattern = /database system is ready to accept (?:read-only )?connections$/

/** @returns why it does not start, where it does not */
async function tryToStart(cluster: Cluster, port: number): Promise<Child | string> {
  const { directory, binaries, signal } = cluster
  const { promise: ready, resolve: setReady } = Promise.withResolvers<'ready'>()
  let fatal: string | undefined
  const command = [binaries.postgres, ...serverArguments(cluster, port)]
  const child = startChild([...commandPrefix(cluster), ...command], {
    env: { ...process.env, LC_ALL: 'C' },
    signal,
    onLine(line) {
      appendToLog(logOf(directory), line)
      fatal = /FATAL: {2}(.*)/.exec(line)?.[1] ?? fatal
      if (readyPattern.test(line)) setReady('ready')
    },
  })
  const outcome = await Promise.race([ready, child.ended])
  return outcome === 'ready' ? child : (fatal ?? outcome.how)
}

function logOf(directory: string): string {
  return join(directory, 'postgres.log')
}

function serverArguments({ directory, durable }: Cluster, port: number): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Three services with pools of 10, or four test files at a time with some ten services each.
    max_connections: '300',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return ['-D', dataDirectory(directory), '-p', String(port), ...flags]
}

function urlOf(directory: string, port: number): string {
  return `postgres://${role}:${readPassword(directory)}@127.0.0.1:${port}/postgres`
}

/** @returns the URL of the server of a directory, if one runs */
export function findRunningPostgres(directory: string): string | undefined {
  const server = findServer(resolve(directory))
  return server && urlOf(resolve(directory), server.port)
}

/**
 * Ends the server of a process that was killed, where the system does not, and removes its lock file:
 * PostgreSQL would not start while another process has the number in it.
 */
export async function endLeftover(directory: string): Promise<void> {
  const server = findServer(resolve(directory))
  if (server !== undefined) await endProcess(server.pid)
  rmSync(lockFile(resolve(directory)), { force: true })
}

function lockFile(directory: string): string {
  return join(dataDirectory(directory), 'postmaster.pid')
}

/** @returns the server that runs on a directory, by what it says of itself there */
function findServer(directory: string) {
  try {
    // PostgreSQL's miscinit.h: pid, directory, start time, port
    const [pid = 0, , , port = 0] = readFileSync(lockFile(directory), 'utf8')
      .split('\n')
      .map(Number)
    // Another process may have its number by now.
    if (!findProcess(pid)?.includes(`-D ${dataDirectory(directory)} `)) return undefined
    return { pid, port }
  } catch {
    return undefined
  }
}
