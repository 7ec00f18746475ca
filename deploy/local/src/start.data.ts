import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { AppError } from '@svc/runtime'
import { endLeftover } from './postgres.ts'
import { type PidFile, takePidFile } from './start.pid-file.ts'

/** What is in every directory of ours, and in none that --fresh may not empty. */
const marker = 'svc-data'

const pidFile = 'lock'

/**
 * Makes the data directory if it is missing and takes it for this process.
 *
 * @throws {AppError} `failed_precondition` when it holds something else, is in use, or cannot be written
 */
export async function openDataDirectory(directory: string): Promise<PidFile> {
  const shown = shownPath(directory)
  // Root's embedded PostgreSQL runs as another user, which has to pass through. What is in it is
  // closed to other users, each by itself.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  const names = listOrMake(directory, mode)
  if (names.length > 0 && !names.includes(marker)) {
    throw refused('not_ours', `${shown} holds something else. Use another directory with --data.`)
  }
  const about = 'Data of the feature flag service. npm start -- --fresh empties this directory.\n'
  const inUse = (pid: number) =>
    `${shown} is in use by pid ${pid}, another npm start. Stop it, or use --data DIR.`
  try {
    writeFileSync(join(directory, marker), about)
    return await takePidFile(join(directory, pidFile), inUse)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const sentence = `Can't write to ${shown} (${codeOf(error)}). Use another directory with --data.`
    throw refused('unusable', sentence)
  }
}

/** Removes everything but the pid file, which the caller holds, and the marker. */
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

function listOrMake(directory: string, mode: number): string[] {
  try {
    makeDirectory(directory, mode)
    return readdirSync(directory)
  } catch (error) {
    const what = `${shownPath(directory)} for data (${codeOf(error)})`
    throw refused('unusable', `Can't use ${what}. Use another directory with --data.`)
  }
}

/** `mkdir` with `recursive` never returns where a parent exists and says ENOENT, as /proc does. */
function makeDirectory(directory: string, mode: number): void {
  if (existsSync(directory)) return
  makeDirectory(dirname(directory), mode)
  try {
    mkdirSync(directory, { mode })
  } catch (error) {
    // Another process may have made it in the meantime.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function codeOf(error: unknown): string {
  return String(error instanceof Error && 'code' in error ? error.code : error)
}

function refused(reason: string, sentence: string): AppError {
  return new AppError('failed_precondition', reason, sentence)
}
