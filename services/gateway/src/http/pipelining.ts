import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum requests of a connection that wait for the answer to an earlier one. Clients that send ahead send a few;
 * Node.js goes on reading without a bound.
 */
export const maxAhead = 16

/** Requests that wait for the answer to an earlier one, by their connection. */
const waiting = new WeakMap<Socket, number>()

/** @returns whether a request may be served. A connection with one too many ends, and what was read of it is dropped. */
export function admit(response: ServerResponse): boolean {
  const { socket } = response.req
  if (socket.destroyed) return false
  // Only what waits has not been given the connection.
  if (response.socket !== null) return true
  const count = (waiting.get(socket) ?? 0) + 1
  if (count > maxAhead) {
    socket.destroy()
    return false
  }
  waiting.set(socket, count)
  response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 0) - 1))
  return true
}

/**
 * Keeps a connection for an answer without an end: a further request would never be answered, and ends it.
 *
 * @returns false when requests wait on it already
 */
export function keepForOne(socket: Socket): boolean {
  if ((waiting.get(socket) ?? 0) > 0) return false
  waiting.set(socket, Number.POSITIVE_INFINITY)
  return true
}

/** Whether a connection is kept for an answer without an end. */
export function isKeptForOne(socket: Socket): boolean {
  return waiting.get(socket) === Number.POSITIVE_INFINITY
}
