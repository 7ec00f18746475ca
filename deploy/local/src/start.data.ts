import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { endLeftover } from './postgres.ts'
import { findProcess } from './processes.ts'
import { codeOf, startError } from './start.errors.ts'

/** What is in every directory of ours, and in none that --fresh may not empty. */
const marker = 'svc-data'

const pidFile = 'lock'

/**
 * Makes the data directory if it is missing and takes it for this process.
 *
 * @throws {AppError} `failed_precondition` when it holds something else, is in use, or cannot be written
 */
export function openDataDirectory(directory: string) {
  const shown = shownPath(directory)
  const lock = join(directory, pidFile)
  try {
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
    const names = readdirSync(directory)
    if (names.length > 0 && !names.includes(marker)) {
      throw startError(`${shown} holds something else. Use another directory with --data.`)
    }
    const about = 'Data of the feature flag service. npm start -- --fresh empties this directory.\n'
    writeFileSync(join(directory, marker), about)
    const { holder, wasStale: wasInUse } = takeLock(lock)
    const sentence = `${shown} is in use by pid ${holder}, another npm start. Stop it, or use --data DIR.`
    if (holder !== undefined) throw startError(sentence)
    // If it was, what a process that was killed started may still be ending.
    return { wasInUse, release: () => rmSync(lock, { force: true }) }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const sentence = `Can't write to ${shown} (${codeOf(error)}). Use another directory with --data.`
    throw startError(sentence)
  }
}

/**
 * Creates a file with the number of this process, exclusively. A stale one is replaced.
 *
 * @returns the process that holds it instead, if one does
 */
function takeLock(path: string): { readonly holder?: number; readonly wasStale: boolean } {
  for (let wasStale = false; ; wasStale = true) {
    if (createLock(path)) return { wasStale }
    const found = readHolder(path)
    const holder = found === 'stale' ? removeStale(path) : found
    if (holder !== undefined) return { holder, wasStale }
  }
}

/** @returns whether there was none. It has its content from the start: an empty one would be stale */
function createLock(path: string): boolean {
  const own = `${path}.${process.pid}`
  writeFileSync(own, `${process.pid}\n`, { mode: 0o600 })
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(own, { force: true })
  }
}

/** Under a lock of its own: another process may have replaced it since. @returns who has that lock */
function removeStale(path: string): number | undefined {
  const removal = `${path}.stale`
  const { holder } = takeLock(removal)
  if (holder === undefined) {
    if (readHolder(path) === 'stale') rmSync(path, { force: true })
    rmSync(removal, { force: true })
  }
  return holder
}

/** @returns nothing when there is no lock, which is not stale: another process may just create it */
function readHolder(path: string): number | 'stale' | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    // Another script may have the number: numbers are given out again.
    const script = basename(process.argv[1] ?? '')
    return pid !== process.pid && findProcess(pid)?.includes(script) ? pid : 'stale'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Removes everything but the lock, which the caller holds, and the marker. */
export async function emptyDataDirectory(directory: string): Promise<void> {
  await endLeftover(join(directory, 'postgres'))
  for (const name of readdirSync(directory)) {
    if (name === marker || name === pidFile) continue
    rmSync(join(directory, name), { recursive: true, force: true })
  }
}

/** As one would type it: relative to the working directory, if it is below. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path)
  return below === '' || below.startsWith('..') ? path : `./${below}`
}
