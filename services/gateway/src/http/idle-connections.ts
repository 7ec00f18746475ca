import type { Socket } from 'node:net'
import { EventLoopScheduler } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'

/** A request that is on its way when the gateway begins to close has arrived by then. */
const closingRoundMs = 500

interface IdleLimits {
  /** How often connections are looked at, in milliseconds. */
  readonly roundMs: number
  /** In how many rounds a connection may have carried nothing. */
  readonly quietRounds: number
}

/** 72 s, longer than the 60 s for which load balancers keep idle connections, and event streams are silent. */
const usualLimits: IdleLimits = { roundMs: 3000, quietRounds: 24 }

/** What a connection had carried, both ways, in the last round, and for how many it was no more. */
interface Traffic {
  bytes: number
  quietRounds: number
}

/** Ends connections that nobody uses, and when the gateway closes all that wait for a request. */
export function endIdleConnections(app: FastifyInstance, limits = usualLimits): void {
  // Of Node.js: a timer that begins after each answer and ends with the next request, which takes longer
  // than an evaluation. To look at all connections every few seconds takes next to nothing.
  app.server.keepAliveTimeout = 0
  const traffic = new Map<Socket, Traffic>()
  app.server.on('connection', (socket: Socket) => {
    traffic.set(socket, { bytes: 0, quietRounds: 0 })
    socket.once('close', () => traffic.delete(socket))
  })
  const scheduler = new EventLoopScheduler()
  const timer = setInterval(
    () => scheduler.runInSlices(endUnused(traffic, limits)),
    limits.roundMs,
  ).unref()
  app.addHook('onClose', async () => clearInterval(timer))
  endWhenClosing(app, traffic)
}

/** Counts rounds, not time: a process that stood still has not seen what came meanwhile. */
function* endUnused(
  traffic: ReadonlyMap<Socket, Traffic>,
  { roundMs, quietRounds }: IdleLimits,
): Generator<void> {
  for (const [socket, last] of traffic) {
    const bytes = socket.bytesRead + socket.bytesWritten
    last.quietRounds = bytes === last.bytes ? last.quietRounds + 1 : 0
    last.bytes = bytes
    if (socket.writableLength > 0) {
      // An answer that is long is written at once. Node.js sees whether its reader takes any of it.
      if (!socket.timeout) socket.setTimeout(roundMs * quietRounds)
    } else if (last.quietRounds > quietRounds) socket.destroy()
    yield
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
