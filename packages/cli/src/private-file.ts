import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of the user alone: with what is in it, others could act as them. */
const fileMode = 0o600
const folderMode = 0o700

/** How long to wait for another process, in milliseconds: writing takes a few. */
const lockTimeoutMs = 5000

/** A lock older than this was left by a process that was killed, in milliseconds. */
const staleMs = 10_000

/**
 * Writes a file that only the user may read, all of it or nothing: to a temporary one, which then takes its place.
 * Of a symbolic link, what it leads to is replaced. Makes the folders.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  const target = await realpath(path).catch(() => path)
  const temporary = `${target}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', fileMode)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Runs `work` while no other process does for the same path. */
export async function withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode })
  const lock = `${path}.lock`
  const until = performance.now() + lockTimeoutMs
  while (!(await tryLock(lock))) {
    if (performance.now() > until) throw new Error(`another process holds ${lock}`)
    await sleep(20)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', fileMode)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }))
  if (Date.now() - mtimeMs > staleMs) await rm(lock, { force: true })
  return false
}
