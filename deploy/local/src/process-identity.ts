import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Tells a process from a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** When it started, in whatever form the system tells it. */
  readonly startedAt: string
}

/** @returns `undefined` when no such process runs; one that is dead but not reaped does not */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  try {
    const startedAt = process.platform === 'linux' ? readProc(pid) : readPs(pid)
    return startedAt === undefined ? undefined : { pid, startedAt }
  } catch {
    return undefined
  }
}

function readProc(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // proc_pid_stat(5): the name, in parentheses, may hold anything; the state is the third field
  // and the start, in ticks since boot, the twenty-second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
}

function readPs(pid: number): string | undefined {
  const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [state = 'Z', ...startedAt] = line.trim().split(/\s+/)
  return state.startsWith('Z') ? undefined : startedAt.join(' ')
}
