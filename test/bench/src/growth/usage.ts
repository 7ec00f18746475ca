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

/** The same of a process and its children, those that have ended included; NaN but on Linux. */
export function cpuMsOfTree(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const running = children.map(Number).filter((child) => parentOf(child) === pid)
  const ended = fieldsOf(pid)?.slice(13, 15).map(Number) ?? []
  return (
    [pid, ...running].reduce((sum, each) => sum + cpuMsOf(each), 0) +
    ended.reduce((sum, ticks) => sum + ticks * msPerTick, 0)
  )
}

/** A tick of the times in `/proc/PID/stat`, which is the same on all usual systems. */
const msPerTick = 10

/** The process that started another; 0 when there is none. */
export function parentOf(pid: number): number {
  return Number(fieldsOf(pid)?.[1] ?? 0)
}

/** What follows the name in `/proc/PID/stat`, from the state on. */
function fieldsOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** The memory of a process that is not on disk. Linux only. */
export function rssBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}
