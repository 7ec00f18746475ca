import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { dataDirectory } from './postgres.cluster.ts'
import { findProcess } from './processes.ts'

/** What a server says of itself in its data directory. */
export interface ServerLock {
  readonly pid: number
  readonly port: number
  readonly ready: boolean
}

/** @returns `undefined` when no server has used the directory or the last one ended properly */
export function readLock(directory: string): ServerLock | undefined {
  try {
    const file = readFileSync(join(dataDirectory(directory), 'postmaster.pid'), 'utf8')
    // PostgreSQL's miscinit.h: pid, directory, start time, port, socket, address, memory, status
    const [pid, , , port, , , , status] = file.split('\n')
    return { pid: Number(pid), port: Number(port), ready: status?.trim() === 'ready' }
  } catch {
    return undefined
  }
}

/** Notes that the server which this process has just started belongs to it. */
export function claim(directory: string): void {
  writeFileSync(ownerFile(directory), `${process.pid}\n`, { mode: 0o600 })
}

function ownerFile(directory: string): string {
  return join(directory, 'owner')
}

function readOwner(directory: string): number | undefined {
  try {
    return Number(readFileSync(ownerFile(directory), 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Waits until a server that outlived its owner has ended, or finds that it goes on.
 *
 * @throws {AppError} `failed_precondition` when its owner lives, or it neither ends nor answers
 */
export async function findServer(directory: string): Promise<ServerLock | undefined> {
  let readyForMs = 0
  for (let waitedMs = 0; waitedMs < recoveryMs; waitedMs += pollMs) {
    const lock = readLock(directory)
    const server = lock && findProcess(lock.pid)
    // After a restart of the machine the number may be that of any other program.
    if (lock === undefined || server?.program !== 'postgres') return undefined
    if (server.parentPid === readOwner(directory)) {
      throw inUse(`The database in ${directory} is in use by pid ${server.parentPid}`)
    }
    readyForMs = lock.ready ? readyForMs + pollMs : 0
    if (readyForMs > settleMs) return lock
    await sleep(pollMs)
  }
  throw inUse(`The database in ${directory} is held by a server that neither ends nor answers`)
}

function inUse(fact: string): AppError {
  const message = `${fact}. Stop it, or use another directory.`
  return new AppError('failed_precondition', 'database_in_use', message)
}

const pollMs = 50
/** A server whose owner was killed is told so at once, and says within this that it is ending. */
const settleMs = 500
/** Ending, or recovering after a crash, takes a second or two; a slow disk gets ten times that. */
const recoveryMs = 20_000
