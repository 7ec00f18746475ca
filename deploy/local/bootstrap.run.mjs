import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command with the signals of this process. Ctrl-C reaches it from the terminal and from here,
 * so it must take the same signal within a moment for one.
 *
 * @returns its exit code
 */
export async function run(command, args, options) {
  const child = spawn(command, args, options)
  const passOn = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, passOn)
  const watch = watchNpm(() => passOn('SIGTERM'))
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
    })
  } finally {
    for (const signal of signals) process.off(signal, passOn)
    clearInterval(watch)
  }
}

/**
 * npm passes signals on, but not that it was killed: then the parent changes. Only for npm: a process
 * that a shell started may well outlive it.
 */
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const parent = process.ppid
  return setInterval(() => process.ppid !== parent && onGone(), 1000).unref()
}
