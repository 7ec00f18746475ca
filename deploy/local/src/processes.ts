import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Prefix of a command whose process the kernel ends when the process that started it ends. Empty on
 * macOS, which has no such thing: the process stays.
 */
export function tiedToParent(): readonly string[] {
  const prefix = ['--pdeathsig', 'INT']
  return spawnSync('setpriv', [...prefix, 'true']).status === 0 ? ['setpriv', ...prefix] : []
}

/** @returns the command line, `undefined` when no such process runs; a zombie does not */
export function findProcess(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return findWithPs(pid)
    // proc_pid_cmdline(5): empty for a zombie. Arguments end with a null byte.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || undefined
  } catch {
    return undefined
  }
}

function findWithPs(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,args=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [state = 'Z', ...command] = line.trim().split(/\s+/)
  return state.startsWith('Z') ? undefined : command.join(' ')
}

/** Signals, from the mildest, each with the time for its effect in milliseconds. */
export type StopSteps = readonly (readonly [NodeJS.Signals, number])[]

/** Sends a process one signal after the other until it has ended. */
export async function endProcess(pid: number, steps: StopSteps): Promise<void> {
  for (const [signal, waitMs] of steps) {
    if (!sendSignal(pid, signal)) return
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if (findProcess(pid) === undefined) return
      await sleep(pollMs)
    }
  }
}

/** @returns whether the process exists */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

/** Short against a start or stop, which take 50 ms at least; long against reading /proc. */
const pollMs = 20
