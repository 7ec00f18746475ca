import type { Socket } from 'node:net'

/** Time between two looks at a connection, in milliseconds. The peer answers a ping about as often. */
export const lookIntervalMs = 250

/** After so many looks without a byte from the peer, a second, the connection is given up. */
const maxSilentLooks = 4

/**
 * Destroys a connection on which the peer sends nothing: neither its first settings, which a process that is stopped
 * never sends, nor the answer to a ping. Both may take grpc-js minutes.
 *
 * Silence is counted in looks, each in a turn of the event loop of its own, and not in time: when this process has
 * stood still, what the peer has sent meanwhile is read before the next look.
 */
export function destroyWhenSilent(socket: Socket, onSilent: () => void): void {
  let known = 0
  let silentLooks = 0
  const timer = setInterval(() => {
    silentLooks = socket.bytesRead === known ? silentLooks + 1 : 0
    known = socket.bytesRead
    if (silentLooks < maxSilentLooks) return
    clearInterval(timer)
    socket.destroy()
    onSilent()
  }, lookIntervalMs).unref()
  socket.once('close', () => clearInterval(timer))
}
