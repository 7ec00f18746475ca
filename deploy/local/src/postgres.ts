import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import type { Child } from './child.ts'
import { findPostgresBinaries } from './postgres.binaries.ts'
import { createCluster, dataDirectory, readPassword, role } from './postgres.cluster.ts'
import { endServer, tryToStart } from './postgres.server.ts'
import { postgresUser } from './postgres.user.ts'
import { findProcess } from './processes.ts'

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

export interface LocalPostgres extends Child {
  /** With the password in it. */
  readonly url: string
  readonly port: number
  /** Whether this call made the data directory. */
  readonly created: boolean
}

/**
 * Starts the PostgreSQL server that came with the packages, on loopback, with a random password. It
 * ends when this process does, however that ends. On macOS it may stay; the next start ends it.
 *
 * @throws {AppError} `failed_precondition` with a sentence for the terminal
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const { durable = true, signal } = options
  const directory = resolve(options.directory)
  const binaries = await findPostgresBinaries()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const user = postgresUser(directory, [binaries.initdb, binaries.postgres])
  await endLeftover(directory)

  const cluster = { directory, binaries, user, durable, signal }
  const created = await createCluster(cluster)
  for (let attempt = 0; attempt < maxAttempts && !signal?.aborted; attempt += 1) {
    const server = await tryToStart({ ...cluster, port: options.port })
    if (server !== undefined) return { ...server, url: urlOf(directory, server.port), created }
    await sleep(200)
  }
  const message = `What is left of the last server in ${directory} does not end.`
  throw new AppError('failed_precondition', 'database_in_use', message)
}

/** @returns the URL of the server of a directory, if one runs and accepts connections */
export function findRunningPostgres(directory: string): string | undefined {
  const server = findServer(resolve(directory))
  return server?.isReady ? urlOf(directory, server.port) : undefined
}

/** Ends the server of a process that was killed, where the system does not. */
export async function endLeftover(directory: string): Promise<void> {
  const server = findServer(resolve(directory))
  if (server !== undefined) await endServer(server.pid)
}

/** The processes of a server that was killed end within some ten seconds. */
const maxAttempts = 40

function urlOf(directory: string, port: number): string {
  return `postgres://${role}:${readPassword(directory)}@127.0.0.1:${port}/postgres`
}

/** @returns the server that runs on a directory, by what it says of itself there */
function findServer(directory: string) {
  const data = dataDirectory(directory)
  try {
    // PostgreSQL's miscinit.h: pid, directory, start time, port, socket, address, memory, status
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
    const [pid, , , port, , , , status] = lines
    // Another process may have its number by now.
    if (!findProcess(Number(pid))?.includes(`-D ${data} `)) return undefined
    return { pid: Number(pid), port: Number(port), isReady: status?.trim() === 'ready' }
  } catch {
    return undefined
  }
}
