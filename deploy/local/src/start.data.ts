import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { AppError } from '@svc/runtime'
import { endLeftover } from './postgres.ts'
import { findProcess } from './processes.ts'

/** What is in every directory of ours, and in none that --fresh may not empty. */
const marker = 'svc-data'

const pidFile = 'lock'

export interface DataDirectory {
  /** Whether a process that was killed used it: what that one started may still be ending. */
  readonly wasInUse: boolean
  release(): void
}

/**
 * Makes the data directory if it is missing and takes it for this process.
 *
 * @throws {AppError} `failed_precondition` when it holds something else, is in use, or cannot be written
 */
export function openDataDirectory(directory: string): DataDirectory {
  const shown = shownPath(directory)
  const lock = join(directory, pidFile)
  try {
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    const names = readdirSync(directory)
    if (names.length > 0 && !names.includes(marker)) {
      throw refused('not_ours', `${shown} holds something else. Use another directory with --data.`)
    }
    const about = 'Data of the feature flag service. npm start -- --fresh empties this directory.\n'
    writeFileSync(join(directory, marker), about)
    const wasInUse = !createLock(lock)
    if (wasInUse) {
      const pid = readHolder(lock)
      const sentence = `${shown} is in use by pid ${pid}, another npm start. Stop it, or use --data DIR.`
      if (pid !== undefined) throw refused('in_use', sentence)
      rmSync(lock, { force: true })
      createLock(lock)
    }
    return { wasInUse, release: () => rmSync(lock, { force: true }) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    const sentence = `Can't write to ${shown} (${error.code}). Use another directory with --data.`
    throw refused('unusable', sentence)
  }
}

/** @returns whether this process made it: the file with its number did not exist */
function createLock(path: string): boolean {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/** @returns the process, if it runs the same script as this one: numbers are given out again */
function readHolder(path: string): number | undefined {
  const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
  const script = basename(process.argv[1] ?? '')
  return pid !== process.pid && findProcess(pid)?.includes(script) ? pid : undefined
}

/** Removes everything but the lock, which the caller holds, and the marker. */
export async function emptyDataDirectory(directory: string): Promise<void> {
  await endLeftover(join(directory, 'postgres'))
  for (const name of readdirSync(directory)) {
    if (name === marker || name === pidFile) continue
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

/** As one would type it: relative to the working directory, if it is below. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : `./${below}`
}

function refused(reason: string, sentence: string): AppError {
  return new AppError('failed_precondition', reason, sentence)
}
