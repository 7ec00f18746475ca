import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command in place of this process: its input and output, its signals, its exit code.
 *
 * Ctrl-C reaches it from the terminal and from here, so it must take the same signal within a
 * moment for one. The channel carries nothing: by its end it learns that this process was killed.
 */
export function runToTheEnd(command, args) {
  const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const forward = (signal) => child.kill(signal)
  for (const signal of signals) process.on(signal, forward)
  const watch = watchNpm(() => child.kill('SIGTERM'))
  return exitCodeOf(child).finally(() => clearInterval(watch))
}

/**
 * Runs a step of the preparation quietly.
 *
 * @param see called with what it has written so far, the end of it, whenever it writes
 * @returns nothing, when it succeeded; else it throws what the step wrote
 */
export async function runStep(command, args, options, see = () => {}) {
  // In a group of its own, which is ended as a whole: npx starts others that it does not end.
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  const keep = (text) => {
    output = (output + text).slice(-16_384)
    see(output)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  child.stderr.setEncoding('utf8').on('data', keep)
  const end = (signal) => {
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
    process.exit(128 + constants.signals[signal])
  }
  for (const signal of signals) process.once(signal, end)
  const watch = watchNpm(() => end('SIGTERM'))
  try {
    const code = await exitCodeOf(child)
    if (code !== 0) throw new Error(output.trim() || `${command} ended with exit code ${code}.`)
  } finally {
    for (const signal of signals) process.off(signal, end)
    clearInterval(watch)
  }
}

function exitCodeOf(child) {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}

/**
 * npm passes signals on, but when it is killed outright nobody tells: then the parent changes.
 * Only for npm, because whoever is started from a shell may well outlive it.
 */
function watchNpm(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return undefined
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onGone()
  }, 1000)
  return watch.unref()
}
