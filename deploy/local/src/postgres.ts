import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, type Logger } from '@svc/runtime'
import { findPostgresBinaries } from './postgres.binaries.ts'
import { createCluster, readPassword, role } from './postgres.cluster.ts'
import { findServer, readLock } from './postgres.lock.ts'
import { stopServer, tryToStart } from './postgres.server.ts'
import { postgresUser } from './postgres.user.ts'
import { findProcess } from './processes.ts'

export interface PostgresOptions {
  /** Holds the data, the password and the log; made when missing, for its owner's eyes only. */
  readonly directory: string
  /** On 127.0.0.1. @default one that is free */
  readonly port?: number | undefined
  /** `false` is faster and loses data with the machine's power: for tests. @default true */
  readonly durable?: boolean
  readonly log?: Logger
}

export interface LocalPostgres {
  /** With the password in it. */
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Whether this call made the data directory. */
  readonly created: boolean
  /** Whether the server was found running, left over by a process that was killed. */
  readonly reused: boolean
  /** Resolves when the server has ended, for whatever reason. Until then this process goes on. */
  readonly ended: Promise<void>
  /** Ends the server within five seconds. Whoever is connected is cut off; nothing is lost. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL server that came with the packages, for its owner alone: on loopback, with
 * a random password. It ends when this process does, however that comes about (on macOS it may
 * stay; the next start finds it).
 *
 * @throws {AppError} `failed_precondition` with a sentence for the person who started it
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const { port: wantedPort, durable = true, log } = options
  const directory = resolve(options.directory)
  const binaries = await findPostgresBinaries()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const user = postgresUser(directory, [binaries.initdb, binaries.postgres])

  let created = false
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const leftover = await findServer(directory)
    if (leftover !== undefined) {
      const { pid, port } = leftover
      log?.info({ pid, port }, 'found PostgreSQL running')
      const ended = whenEnded(pid)
      const stop = () => stopServer(pid)
      return { url: urlOf(directory, port), port, pid, created, reused: true, ended, stop }
    }
    created = (await createCluster(directory, binaries, user, durable)) || created
    const server = await tryToStart({ directory, binaries, user, port: wantedPort, durable })
    if (server !== undefined) {
      log?.info({ pid: server.pid, port: server.port, created }, 'PostgreSQL is ready')
      return { url: urlOf(directory, server.port), ...server, created, reused: false }
    }
    await sleep(200)
  }
  const message = `What is left of the last server in ${directory} does not end.`
  throw new AppError('failed_precondition', 'database_in_use', message)
}

/** @returns the URL of the server of a directory, if one runs and accepts connections */
export function findRunningPostgres(directory: string): string | undefined {
  const lock = readLock(directory)
  const isRunning = lock?.ready && findProcess(lock.pid)?.program === 'postgres'
  return isRunning ? urlOf(directory, lock.port) : undefined
}

/** Together some ten seconds, in which the processes of a server that was killed end. */
const maxAttempts = 40

function urlOf(directory: string, port: number): string {
  return `postgres://${role}:${readPassword(directory)}@127.0.0.1:${port}/postgres`
}

async function whenEnded(pid: number): Promise<void> {
  // Nobody tells a process of the end of one that is not its child. A second is soon enough.
  while (findProcess(pid) !== undefined) await sleep(1000)
}
