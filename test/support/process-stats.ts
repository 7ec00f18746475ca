import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Between two looks at a thread that is busy. */
const lookMs = 1

/**
 * The CPU time that the main thread of a process has used when it sleeps next, in milliseconds. To the
 * microsecond, as the scheduler of Linux keeps it; time in which the thread waited for a processor is not
 * in it, so a busy machine changes little.
 *
 * @see https://docs.kernel.org/scheduler/sched-stats.html
 */
export async function cpuTimeOf(pid: number): Promise<number> {
  const read = (file: string) => readFileSync(`/proc/${pid}/task/${pid}/${file}`, 'utf8')
  // What a thread has used since the last tick is added when it goes to sleep.
  while (!/^\d+ \(.*\) S /.test(read('stat'))) await sleep(lookMs)
  return Number(read('schedstat').split(' ')[0]) / 1e6
}

/** The resident memory of a process, in MiB. Linux only. */
export function residentMiB({ pid }: { readonly pid: number }): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

/** How many files, sockets and pipes a process has open. Linux only. */
export function openFiles({ pid }: { readonly pid: number }): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** A process and those that it has started. Linux only. */
export function withChildren(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** Whether a process has the end of a connection that is at a port of 127.0.0.1. Linux only. */
export function hasConnection({ pid }: { readonly pid: number }, port: number): boolean {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const sockets = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1] === local)
    .map((fields) => `socket:[${fields[9]}]`)
  return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.includes(fileAt(pid, fd)))
}

/** One that was closed meanwhile is none. */
function fileAt(pid: number, fd: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`)
  } catch {
    return ''
  }
}
