import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { identifyProcess, type ProcessIdentity } from './process-identity.ts'
import { endProcess } from './processes.ts'

interface Holder extends ProcessIdentity {
  /** The processes that it started and that end with it, sooner or later. */
  readonly children: readonly ProcessIdentity[]
}

export interface Lock {
  /** Tells the next holder what to look for if this process is killed. */
  noteChildren(pids: readonly number[]): void
  release(): void
}

/**
 * Takes a lock file for this process. One that a killed process left is taken over, when what that
 * process started has ended, if need be by force.
 *
 * @throws {AppError} `failed_precondition` when another process holds it
 */
export async function takeLock(path: string, inUse: (pid: number) => string): Promise<Lock> {
  const self = identifyProcess(process.pid)
  if (self === undefined) throw new Error('this process does not find itself')
  const write = (children: readonly ProcessIdentity[], flag: 'w' | 'wx', to = path) =>
    writeFileSync(to, JSON.stringify({ ...self, children }), { flag, mode: 0o600 })

  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      write([], 'wx')
      return {
        noteChildren(pids) {
          write(
            pids.flatMap((pid) => identifyProcess(pid) ?? []),
            'w',
            `${path}.new`,
          )
          renameSync(`${path}.new`, path)
        },
        release: () => rmSync(path, { force: true }),
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = readHolder(path)
    if (holder !== undefined && isAlive(holder)) {
      throw new AppError('failed_precondition', 'in_use', inUse(holder.pid))
    }
    // Without a holder in it, it may be a moment old and about to be written.
    if (holder === undefined && attempt < 2) await sleep(100)
    else await clear(path, holder)
  }
  throw new AppError('failed_precondition', 'in_use', `${path} changes hands again and again.`)
}

/** Each attempt is lost to another process that starts in the same instant. */
const maxAttempts = 10

async function clear(path: string, stale: Holder | undefined): Promise<void> {
  const leftovers = stale?.children.filter(isAlive) ?? []
  // They noticed the death of their parent and are ending already.
  await Promise.all(
    leftovers.map(({ pid }) =>
      endProcess(pid, [
        ['SIGTERM', 2000],
        ['SIGKILL', 1000],
      ]),
    ),
  )
  // Set aside and looked at again, for meanwhile another process may have done the same and hold it.
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return // the other one was faster
  }
  const found = readHolder(aside)
  if (found !== undefined && isAlive(found)) renameSync(aside, path)
  else rmSync(aside, { force: true })
}

function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  // The number alone may be that of another process by now, in a container it nearly always is.
  return identifyProcess(pid)?.startedAt === startedAt
}

function readHolder(path: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isHolder(holder) ? holder : undefined
  } catch {
    return undefined
  }
}

function isHolder(value: unknown): value is Holder {
  if (!isIdentity(value) || !('children' in value)) return false
  return Array.isArray(value.children) && value.children.every(isIdentity)
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  if (!('pid' in value) || !('startedAt' in value)) return false
  return Number.isInteger(value.pid) && typeof value.startedAt === 'string'
}
