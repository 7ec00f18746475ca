import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A request that is on its way when the gateway begins to close has arrived by then. */
const closingRoundMs = 500

/**
 * Ends persistent connections one by one, each with the answer to its next request: that carries
 * `Connection: close`, so that clients open another one, by which a load balancer gives them another
 * gateway. A listener that is added only now: before that no request pays for it.
 */
export function endKeepAlive(server: Server): void {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close')
  })
}

/** Longest time in which a client takes nothing of an answer. */
export const usualStalledMs = 72_000

/**
 * Ends a connection whose client takes nothing of its answer for so long. Until the answer is written:
 * Node.js then has a timer of its own, and sets it anew with the next request. A timeout of the server
 * would do the same and costs a timer for each request.
 */
export function endWhenStalled(socket: Socket, stalledMs = usualStalledMs): void {
  // A test may ask without a connection.
  if (socket instanceof Socket) socket.setTimeout(stalledMs)
}

/**
 * Ends the connections that closing would wait for in vain. When a server closes, Node.js 24 ends those
 * that are idle at that moment, and waits for the others until their clients leave: for those whose
 * request was still being answered, and for those on which nothing was ever sent; a client leaves such
 * a one behind when it gives up while it connects.
 */
export function endWhenClosing(app: FastifyInstance): void {
  const { server } = app
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    const timer = setInterval(() => {
      server.closeIdleConnections()
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    }, closingRoundMs)
    server.once('close', () => clearInterval(timer))
  })
}
