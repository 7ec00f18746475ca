import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { findProcess } from './processes.ts'

export interface PidFile {
  /** Whether a process that was killed left it: what that one started may still be ending. */
  readonly wasStale: boolean
  release(): void
}

/**
 * Creates a file with the number of this process, exclusively. A stale one is replaced.
 *
 * @throws {AppError} `failed_precondition` while the process that it names runs
 */
export async function takePidFile(path: string, inUse: (pid: number) => string): Promise<PidFile> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
      return { wasStale: attempt > 0, release: () => rmSync(path, { force: true }) }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const pid = readHolder(path)
    if (pid !== undefined) throw new AppError('failed_precondition', 'in_use', inUse(pid))
    // Empty between its creation and the first write to it.
    if (attempt === 0) await sleep(50)
    else removeStale(path)
  }
  throw new AppError('failed_precondition', 'in_use', `${path} changes hands again and again.`)
}

/** Each attempt is lost to another process that starts in the same instant. */
const maxAttempts = 10

/** Renamed first and read again: meanwhile another process may have replaced it. */
function removeStale(path: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch {
    return // another process was faster
  }
  if (readHolder(aside) === undefined) rmSync(aside, { force: true })
  else renameSync(aside, path)
}

/** @returns the process, if it runs the same script as this one: numbers are given out again */
function readHolder(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    const script = basename(process.argv[1] ?? '')
    return pid !== process.pid && findProcess(pid)?.includes(script) ? pid : undefined
  } catch {
    return undefined
  }
}
