import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What to put before a command so that the kernel ends it when the process that started it ends,
 * however it ends. Empty where there is no such thing (macOS): the server then stays behind.
 */
export function tiedToParent(): readonly string[] {
  const prefix = ['--pdeathsig', 'INT']
  return spawnSync('setpriv', [...prefix, 'true']).status === 0 ? ['setpriv', ...prefix] : []
}

export interface ProcessEntry {
  readonly parentPid: number
  /** The name of the program, without its path. */
  readonly program: string
}

/** @returns `undefined` when no such process runs; one that is dead but not reaped does not */
export function findProcess(pid: number): ProcessEntry | undefined {
  try {
    const entry = process.platform === 'linux' ? readProcEntry(pid) : readPsEntry(pid)
    return entry.state.startsWith('Z') ? undefined : entry
  } catch {
    return undefined
  }
}

/**
 * Asks a process to end, each time with a stronger signal, and waits until it has.
 *
 * @param steps signals, each with how long to wait for its effect, in milliseconds
 */
export async function endProcess(
  pid: number,
  steps: readonly (readonly [NodeJS.Signals, number])[],
): Promise<void> {
  for (const [signal, waitMs] of steps) {
    try {
      process.kill(pid, signal)
    } catch {
      return // it is gone
    }
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if (findProcess(pid) === undefined) return
      await sleep(pollMs)
    }
  }
}

/** Short against a start or stop, which take 50 ms at least; long against reading /proc. */
const pollMs = 20

function readProcEntry(pid: number) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name in parentheses, which may itself hold spaces and parentheses.
  const [state = '', parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const program = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
  return { state, parentPid: Number(parentPid), program }
}

function readPsEntry(pid: number) {
  const line = execFileSync('ps', ['-o', 'stat=,ppid=,comm=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [state = '', parentPid, ...path] = line.trim().split(/\s+/)
  return { state, parentPid: Number(parentPid), program: path.join(' ').split('/').at(-1) ?? '' }
}
