import { isIPv6, type Socket } from 'node:net'

/** A call fails long before, in milliseconds. */
const keptMs = 10_000

/**
 * When the connections of a channel ended. grpc-js notices an end some turns of the event loop later, and
 * begins calls on the connection until then. They were not sent, so even a write can be sent again.
 */
export class ConnectionEnds {
  /** By address, until the next connection to it. */
  readonly #ends = new Map<string, number>()

  watch(socket: Socket): void {
    const { remoteAddress: host = '', remotePort: port } = socket
    const address = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
    this.#ends.delete(address)
    let hasEnded = false
    const note = () => {
      if (hasEnded) return
      hasEnded = true
      const endedAt = performance.now()
      this.#ends.set(address, endedAt)
      setTimeout(() => {
        if (this.#ends.get(address) === endedAt) this.#ends.delete(address)
      }, keptMs).unref()
    }
    for (const event of ['end', 'error', 'close']) socket.once(event, note)
  }

  /** @param address of the peer, as gRPC names it @param sentAt by `performance.now()` */
  isBefore(address: string, sentAt: number): boolean {
    const endedAt = this.#ends.get(address)
    return endedAt !== undefined && endedAt < sentAt
  }
}
