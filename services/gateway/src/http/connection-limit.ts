import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits the connections of a server. When all are taken, the one that has been waiting for its first
 * answer for the longest makes room for the next: connections on which nothing comes cannot keep callers
 * out, wherever they are from and whether a proxy lies in between. Those that are in use are not touched;
 * when all are, Node.js closes further ones.
 */
export function dropUnanswered(server: Server, maxConnections: number): void {
  server.maxConnections = maxConnections
  let open = 0
  /** The oldest first. Some have been answered meanwhile, which is looked up only when it matters. */
  const waiting = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open++
    if (open >= maxConnections) dropOldest(waiting)
    waiting.add(socket)
    socket.once('close', () => {
      open--
      waiting.delete(socket)
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
