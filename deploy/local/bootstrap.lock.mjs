import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Interval at which the holder of the lock shows that it is alive. */
const beatMs = 1000
/** Time without a sign after which the holder counts as dead, even on a very busy machine. */
const deadMs = 15_000

/** A mutex between processes, as a file. One that a killed process left is taken over. */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true })
  if (!take(path)) {
    process.stderr.write('svc: waiting for another process that prepares this…\n')
    while (!take(path)) await sleep(beatMs)
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
  const lock = statSync(path, { throwIfNoEntry: false })
  if (lock !== undefined && Date.now() - lock.mtimeMs > deadMs) rmSync(path, { force: true })
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    return false
  }
}

function touch(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // The installation may have replaced the whole folder, and the lock with it.
  }
}
