import { connect, createServer, type ListenOptions, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { listen, type Test } from './listen.ts'

export interface Place {
  readonly host: string
  readonly port: number
}

/**
 * Passes connections on to a port, or to the one that is chosen for each. What comes back from there
 * goes through `answers`, which may look at it or change it.
 *
 * @returns the port to connect to instead, of 127.0.0.1 by default
 */
export async function startRelay(
  t: Test,
  target: Place | (() => Place),
  answers: (far: Socket, near: Socket) => Readable = (far) => far,
  options: ListenOptions = {},
): Promise<number> {
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const to = typeof target === 'function' ? target() : target
    const far = connect({ ...to, noDelay: true, allowHalfOpen: true })
    connectBoth(near, far, answers)
  })
  return await listen(t, server, { backlog: 1024, ...options })
}

/**
 * Passes on what the two sockets of a connection receive. When the far one is closed, the near one is ended but
 * read on: what the client sends until it notices has been sent to a server that is no more.
 */
export function connectBoth(
  near: Socket,
  far: Socket,
  answers: (far: Socket, near: Socket) => Readable = (far) => far,
): void {
  near.on('error', () => {})
  far.on('error', () => {})
  near.on('close', () => far.destroy())
  far.on('close', () => {
    if (near.destroyed) return
    near.unpipe(far)
    near.end()
    near.resume()
  })
  near.pipe(far)
  answers(far, near).pipe(near)
}
