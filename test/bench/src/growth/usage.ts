import { readdirSync, readFileSync } from 'node:fs'

/** The time that all threads of a process have had on a core, in milliseconds; NaN but on Linux. */
export function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return sum + Number(nanoseconds) / 1e6
  }, 0)
}

/** The memory of a process that is not on disk. Linux only. */
export function rssBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
