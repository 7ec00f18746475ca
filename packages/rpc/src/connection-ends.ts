import { isIPv6, type Socket } from 'node:net'

/** How long an end is remembered, in milliseconds. A call fails within some turns of the event loop after it. */
const keptMs = 10_000

/** @returns the address of the peer, as gRPC names it */
export function peerOf({ remoteAddress: host = '', remotePort: port }: Socket): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * When the connections of a channel ended. grpc-js notices an end some turns of the event loop later, and
 * begins calls on the connection until then. They were not sent, so even a write can be sent again.
 */
export class ConnectionEnds {
  /** By address of the peer. There may be two for a while, of which either may have a call. */
  readonly #open = new Map<string, Set<Socket>>()
  /** When the last one to an address ended. */
  readonly #ends = new Map<string, number>()

  watch(socket: Socket): void {
    const address = peerOf(socket)
    const open = this.#open.get(address) ?? new Set()
    this.#open.set(address, open.add(socket))
    this.#ends.delete(address)
    const note = () => {
      if (!open.delete(socket) || open.size > 0) return
      this.#open.delete(address)
      this.#noteEnd(address)
    }
    for (const event of ['end', 'error', 'close']) socket.once(event, note)
  }

  /** @param address of the peer, as gRPC names it @param sentAt by `performance.now()` */
  isBefore(address: string, sentAt: number): boolean {
    const endedAt = this.#ends.get(address)
    return endedAt !== undefined && endedAt < sentAt
  }

  #noteEnd(address: string): void {
    const endedAt = performance.now()
    this.#ends.set(address, endedAt)
    setTimeout(() => {
      if (this.#ends.get(address) === endedAt) this.#ends.delete(address)
    }, keptMs).unref()
  }
}
