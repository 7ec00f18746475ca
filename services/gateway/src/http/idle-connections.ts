import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A request that is on its way when the gateway begins to close has arrived by then. */
const closingRoundMs = 500

export interface IdleLimits {
  /** How long a connection may carry nothing, in milliseconds; it may come to two rounds more. */
  readonly idleMs: number
  /** How often connections are looked at. */
  readonly roundMs: number
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number
}

/** Longer than the 60 s for which load balancers keep idle connections, and event streams are silent. */
const usualLimits: IdleLimits = { idleMs: 72_000, roundMs: 3000 }

/** What a connection had carried, both ways, when it was last seen to carry more. */
interface Traffic {
  bytes: number
  seenAt: number
}

/** Ends connections that nobody uses, and when the gateway closes all that wait for a request. */
export function endIdleConnections(app: FastifyInstance, limits = usualLimits): void {
  const { idleMs, roundMs, now = () => performance.now() } = limits
  // Of Node.js: a timer that begins after each answer and ends with the next request, which takes longer
  // than an evaluation. To look at all connections every few seconds takes next to nothing.
  app.server.keepAliveTimeout = 0
  const traffic = new Map<Socket, Traffic>()
  app.server.on('connection', (socket: Socket) => {
    traffic.set(socket, { bytes: 0, seenAt: now() })
    socket.once('close', () => traffic.delete(socket))
  })
  const timer = setInterval(() => endUnused(traffic, idleMs, now()), roundMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  endWhenClosing(app, traffic)
}

function endUnused(traffic: ReadonlyMap<Socket, Traffic>, idleMs: number, now: number): void {
  for (const [socket, last] of traffic) {
    const bytes = socket.bytesRead + socket.bytesWritten
    if (bytes !== last.bytes) {
      last.bytes = bytes
      last.seenAt = now
    } else if (now - last.seenAt >= idleMs) socket.destroy()
  }
}

/**
 * Ends the connections that closing would wait for in vain. When a server closes, Node.js 24 ends those
 * that are idle at that moment, and waits for the others until their clients leave: for those whose
 * request was still being answered, and for those on which nothing was ever sent; a client leaves such
 * a one behind when it gives up while it connects.
 */
function endWhenClosing(app: FastifyInstance, traffic: ReadonlyMap<Socket, unknown>): void {
  const { server } = app
  app.addHook('preClose', async () => {
    const timer = setInterval(() => {
      server.closeIdleConnections()
      for (const socket of traffic.keys()) if (socket.bytesRead === 0) socket.destroy()
    }, closingRoundMs)
    server.once('close', () => clearInterval(timer))
  })
}
