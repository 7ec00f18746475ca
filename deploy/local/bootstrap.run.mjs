import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'

/**
 * Runs a command with the signals of this process. Ctrl-C reaches it from the terminal and from here,
 * so it must take the same signal within a moment for one.
 *
 * @returns its exit code
 */
export async function run(command, args, options) {
  const child = spawn(command, args, options)
  const passOn = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, passOn)
  // npm passes signals on, but not that it was killed: then the parent changes. Only for npm: a process
  // that a shell started may well outlive it.
  const { ppid } = process
  const isOrphan = () => process.env.npm_lifecycle_event !== undefined && process.ppid !== ppid
  const watch = setInterval(() => isOrphan() && passOn('SIGTERM'), 1000)
  try {
    const [code, signal] = await once(child, 'close')
    return code ?? 128 + constants.signals[signal]
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, passOn)
    clearInterval(watch)
  }
}
