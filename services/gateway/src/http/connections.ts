import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Each takes a file descriptor and some memory. */
const usualMaxConnections = 10_000

/** Longest time in which a client takes nothing of an answer. */
const usualStalledMs = 72_000

/** A request that is on its way when the gateway begins to close has arrived by then. */
const closingRoundMs = 500

/**
 * Time that answers under way have when the gateway closes, in milliseconds. The process has 20 s, of which the last are for
 * what is reported.
 */
const closingMs = 16_000

/**
 * Limits the connections of a server. When all are taken, the oldest without an answer is dropped, so that
 * silent connections keep no caller out. When all are in use, Node.js closes further ones. Closing also
 * ends those on which nothing was sent, and those that were in use when it began, with their answer or after a while.
 */
export function limitConnections(app: FastifyInstance, maxConnections = usualMaxConnections): void {
  const { server } = app
  server.maxConnections = maxConnections
  let open = 0
  /** The oldest first. Some have been answered meanwhile, which is looked up only when it matters. */
  const waiting = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open++
    if (open >= maxConnections) dropOldest(waiting)
    waiting.add(socket)
    socket.on('close', () => {
      open--
      waiting.delete(socket)
    })
  })
  app.addHook('preClose', async () => {
    const timer = setInterval(() => {
      server.closeIdleConnections()
      for (const socket of waiting) if (socket.bytesRead === 0) socket.destroy()
    }, closingRoundMs)
    const limit = setTimeout(() => {
      app.log.warn('answers that take too long are cut off: the gateway ends')
      server.closeAllConnections()
    }, closingMs)
    server.once('close', () => {
      clearInterval(timer)
      clearTimeout(limit)
    })
  })
}

function dropOldest(waiting: Set<Socket>): void {
  for (const socket of waiting) {
    waiting.delete(socket)
    if (socket.destroyed || socket.bytesWritten > 0) continue
    socket.destroy()
    return
  }
}

/**
 * Ends each connection with the answer to its next request, so that a load balancer picks another gateway.
 * The listener is added only now: before that no request pays for it.
 */
export function endKeepAlive(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close')
  })
}

/**
 * Ends a connection whose client takes nothing of its answer for so long. After the answer, Node.js sets a
 * timer of its own. A timeout of the server would cost a timer for each request.
 */
export function endWhenStalled(socket: Socket, stalledMs = usualStalledMs): void {
  // A test may ask without a connection.
  if (socket instanceof Socket) socket.setTimeout(stalledMs)
}
