import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { AppError } from '@svc/runtime'
import { findFreePort } from './ports.ts'

/**
 * @param wanted 0 takes any free port
 * @returns the port, which is free on loopback, under both of its addresses
 * @throws {AppError} `failed_precondition` with who uses it and which one is free
 */
export async function choosePort(wanted: number): Promise<number> {
  if (wanted === 0) return findFreePort()
  if (await isFree(wanted)) return wanted
  const user = findPortUser(wanted)
  const by = user === undefined ? '' : ` by pid ${user.pid} (${user.program})`
  const instead = await findFreeAfter(wanted)
  const advice = `Use --port ${instead} or stop it.`
  throw new AppError(
    'failed_precondition',
    'port_in_use',
    `Port ${wanted} is in use${by}. ${advice}`,
  )
}

async function findFreeAfter(port: number): Promise<number> {
  // Ten in a row that are taken are no accident; then any one will do.
  for (let next = port + 1; next <= Math.min(port + 10, 65_535); next++) {
    if (await isFree(next)) return next
  }
  return findFreePort()
}

async function isFree(port: number): Promise<boolean> {
  // `localhost` is either, and whoever opens it should not meet another program.
  return (await canListen('127.0.0.1', port)) && (await canListen('::1', port))
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen({ port, host, exclusive: true }), 'listening')
    return true
  } catch (error) {
    // A machine without IPv6 says EADDRNOTAVAIL; a low port that is not ours to use, EACCES.
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EACCES') {
      throw new AppError(
        'failed_precondition',
        'port_forbidden',
        `Port ${port} is for root only. Use --port 8080.`,
      )
    }
    return code !== 'EADDRINUSE'
  } finally {
    server.close()
  }
}

interface PortUser {
  readonly pid: number
  readonly program: string
}

/** @returns `undefined` also when it is a process of another user */
export function findPortUser(port: number): PortUser | undefined {
  try {
    return process.platform === 'linux' ? findInProc(port) : findWithLsof(port)
  } catch {
    return undefined
  }
}

function findInProc(port: number): PortUser | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(table, port)))
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (openFiles(pid).some((file) => sockets.has(file))) {
      // Not the name in `comm`, which is that of a thread: Node.js calls its first one MainThread.
      return { pid: Number(pid), program: basename(readlinkSync(`/proc/${pid}/exe`)) }
    }
  }
  return undefined
}

/** proc_net_tcp(5): local address as hexadecimal `address:port` in column 1, 0A is LISTEN. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const path = `/proc/net/${table}`
  // Without IPv6 there is no tcp6.
  const [, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  return lines.flatMap((line) => {
    const columns = line.trim().split(/\s+/)
    return columns[1]?.endsWith(suffix) && columns[3] === '0A' ? [`socket:[${columns[9]}]`] : []
  })
}

function openFiles(pid: string): string[] {
  const directory = `/proc/${pid}/fd`
  return orNone(() => readdirSync(directory)).flatMap((fd) =>
    orNone(() => [readlinkSync(`${directory}/${fd}`)]),
  )
}

/** Processes and their files come and go while one looks, and those of others are closed. */
function orNone(read: () => string[]): string[] {
  try {
    return read()
  } catch {
    return []
  }
}

function findWithLsof(port: number): PortUser | undefined {
  const text = execFileSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const pid = /^p(\d+)$/m.exec(text)?.[1]
  const program = /^c(.*)$/m.exec(text)?.[1]
  return pid === undefined || program === undefined ? undefined : { pid: Number(pid), program }
}
