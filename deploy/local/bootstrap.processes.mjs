import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command in place of this process: its input and output, its signals, its exit code.
 *
 * Ctrl-C reaches it from the terminal and from here, so it must take the same signal within a
 * moment for one. By the end of the IPC channel it learns that this process was killed.
 */
export function runToTheEnd(command, args) {
  const child = spawn(command, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  return endOf(child, (signal) => child.kill(signal))
}

/**
 * Runs a step of the preparation quietly.
 *
 * @param see called with the end of what it has written so far, whenever it writes
 * @throws {Error} with what the step wrote, when it fails
 */
export async function runStep(command, args, options, see = () => {}) {
  // In a process group, which is ended as a whole: npx starts processes that it does not end.
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
  const code = await endOf(child, (signal) => {
    try {
      process.kill(-child.pid, 'SIGTERM')
    } catch {
      // It has ended by itself.
    }
    process.exit(128 + constants.signals[signal])
  })
  if (code !== 0) throw new Error(output.trim() || `${command} ended with exit code ${code}.`)
}

/** Waits for the exit code of a child, and calls back with the signals that this process gets. */
async function endOf(child, onSignal) {
  for (const signal of signals) process.on(signal, onSignal)
  const watch = watchNpm(() => onSignal('SIGTERM'))
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
    })
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
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
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    onGone()
  }, 1000)
  return watch.unref()
}
