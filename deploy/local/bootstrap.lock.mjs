import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Whoever holds the lock shows this often that it is alive… */
const beatMs = 1000
/** …and is taken for dead after this long without a sign, even on a machine that is very busy. */
const deadMs = 15_000

/** Does the work when no other process is doing it; one that was killed meanwhile is not waited for. */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true })
  let hasSaid = false
  while (!take(path)) {
    if (!hasSaid) process.stderr.write('svc: waiting for another process that prepares this…\n')
    hasSaid = true
    await sleep(beatMs)
  }
  const beat = setInterval(() => touch(path), beatMs).unref()
  try {
    await work()
  } finally {
    clearInterval(beat)
    rmSync(path, { force: true })
  }
}

function take(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const lock = statSync(path, { throwIfNoEntry: false })
  if (lock !== undefined && Date.now() - lock.mtimeMs > deadMs) rmSync(path, { force: true })
  return false
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // The installation may have replaced the whole folder, and the lock with it.
  }
}
