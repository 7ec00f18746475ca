import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc/runtime'
import { findFreePort } from './ports.ts'

/**
 * @param wanted 0 takes any free port
 * @param waitMs limit of the wait for a process that is ending
 * @returns the port, which is free on loopback, under both of its addresses
 * @throws {AppError} `failed_precondition` with a port that is free
 */
export async function choosePort(wanted: number, waitMs = 0): Promise<number> {
  if (wanted === 0) return findFreePort()
  for (const deadline = performance.now() + waitMs; !(await isFree(wanted)); await sleep(50)) {
    if (performance.now() < deadline) continue
    const advice = `Choose another with --port ${await findFreeAfter(wanted)} or server.http_port`
    const sentence = `Port ${wanted} is in use. ${advice}, or stop what uses it.`
    throw new AppError('failed_precondition', 'port_in_use', sentence)
  }
  return wanted
}

async function findFreeAfter(port: number): Promise<number> {
  // Ten in a row that are taken are no accident; then any one will do.
  for (let next = port + 1; next <= Math.min(port + 10, 65_535); next++) {
    if (await isFree(next)) return next
  }
  return findFreePort()
}

async function isFree(port: number): Promise<boolean> {
  // `localhost` is either: a browser must not meet another program there.
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
      const sentence = `Port ${port} is for root only. Use --port 8080.`
      throw new AppError('failed_precondition', 'port_forbidden', sentence)
    }
    return code !== 'EADDRINUSE'
  } finally {
    server.close()
  }
}
