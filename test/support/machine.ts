import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

/** Where the server that is measured runs, and where everything else does; or why nothing is pinned. */
type Cores = { readonly server: number; readonly client: number } | { readonly unpinned: string }

const cores = findCores()

/** Puts this process, and what it will start, on the client's core. */
export function pinClient(say: (line: string) => void): void {
  if ('client' in cores) pin(process.pid, cores.client)
  else say(`\n!! NOTHING IS PINNED: ${cores.unpinned}.\n!! The figures are not comparable.\n`)
}

/** Puts a process with all its threads on the server's core. */
export function pinServer(pid: number): void {
  if ('server' in cores) pin(pid, cores.server)
}

/** Puts a process, which was started on both cores, beside the client. */
export function pinBesideClient(pid: number): void {
  if ('client' in cores) pin(pid, cores.client)
}

/**
 * Lets this process use both cores, and what it starts meanwhile, which stays there: what is several
 * services together has no core of its own, and services start in half the time.
 */
export async function onBothCores<T>(work: () => Promise<T>): Promise<T> {
  if ('server' in cores) pin(process.pid, cores.server, cores.client)
  try {
    return await work()
  } finally {
    pinBesideClient(process.pid)
  }
}

export function describeMachine(): string {
  const { model = 'unknown processor' } = cpus()[0] ?? {}
  const pinned =
    'server' in cores
      ? `server on core ${cores.server}, everything else on core ${cores.client}`
      : `NOT PINNED: ${cores.unpinned}`
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return `${cpus().length} x ${model}, ${memory}, Node.js ${process.version}; ${pinned}`
}

function findCores(): Cores {
  if (spawnSync('taskset', ['--version']).status !== 0) return { unpinned: 'there is no taskset' }
  const status = readFileSync('/proc/self/status', 'utf8')
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1] ?? ''
  const allowed = list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
  const [server, client] = allowed
  if (server === undefined || client === undefined) return { unpinned: 'there is only one core' }
  return { server, client }
}

function pin(pid: number, ...to: readonly number[]): void {
  const list = to.join(',')
  const { status, stderr } = spawnSync('taskset', ['-acp', list, String(pid)], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`process ${pid} cannot be pinned to ${list}: ${stderr}`)
}
