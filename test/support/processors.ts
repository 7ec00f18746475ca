import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** Limit of the program, in milliseconds. */
const limitMs = 5000

/**
 * Gives a load the last processor for its own, so that it takes no time of the services, and those no time of it. Nothing is
 * done where there is one processor, or no `taskset`.
 */
export function separate(load: readonly number[], services: readonly number[]): void {
  const last = availableParallelism() - 1
  if (last < 1) return
  pin(load, String(last))
  pin(services, `0-${last - 1}`)
}

/** All threads of processes, and what they start from then on. */
function pin(pids: readonly number[], processors: string): void {
  for (const pid of pids) {
    try {
      const args = ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)]
      execFileSync('taskset', args, { stdio: 'ignore', timeout: limitMs })
    } catch {
      return
    }
  }
}
