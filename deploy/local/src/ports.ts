import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, startError } from './start.errors.ts'

/** From these, systems take no port for a connection that goes out: one that is free stays so, most likely. */
const free = { from: 10_000, to: 30_000 }

/** A port of loopback that was free a moment ago; another process may take it meanwhile. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(free.from, free.to)
    if ((await listenFault(port)) === undefined) return port
  }
  throw new Error(`no port from ${free.from} to ${free.to} is free`)
}

/** @returns why no connection can be made, such as ECONNREFUSED; `undefined` where one can */
export async function connectFault(port: number, host = '127.0.0.1'): Promise<unknown> {
  // Across a continent it takes a tenth of that.
  const socket = connect({ port, host, signal: AbortSignal.timeout(2000) })
  try {
    await once(socket, 'connect')
    return undefined
  } catch (error) {
    const code = codeOf(error)
    return code === 'ABORT_ERR' ? 'no answer' : code
  } finally {
    socket.destroy()
  }
}

/**
 * @param wanted 0 takes any free port
 * @param waitMs limit of the wait for a process that is ending
 * @returns the port, which is free on loopback, under both of its addresses
 * @throws {AppError} `failed_precondition` with a port that is free
 */
export async function choosePort(wanted: number, waitMs = 0): Promise<number> {
  if (wanted === 0) return findFreePort()
  for (const deadline = performance.now() + waitMs; ; await sleep(50)) {
    const fault = await listenFault(wanted)
    if (fault === undefined) return wanted
    if (fault === 'EACCES') throw startError(`Port ${wanted} is for root only. Use --port 8080.`)
    if (performance.now() >= deadline) break
  }
  let other = wanted
  while ((await listenFault(other)) !== undefined) other = (other % 65_535) + 1
  const advice = `Choose another with --port ${other} or server.http_port, or stop what uses it.`
  throw startError(`Port ${wanted} is in use. ${advice}`)
}

/** @returns the code of what is in the way of a port; a machine without IPv6 is no obstacle */
async function listenFault(port: number): Promise<unknown> {
  // `localhost` is either: a browser must not meet another program there.
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer()
    try {
      await once(server.listen(port, host), 'listening')
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EADDRINUSE' || code === 'EACCES') return code
    } finally {
      server.close()
    }
  }
  return undefined
}
