import { once } from 'node:events'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The sockets of a pool or a connection. Closes them even when the server does not answer. */
export class Sockets {
  readonly #open = new Set<Socket>()

  /** For the driver's `stream` option. */
  readonly create = (): Socket => {
    const socket = new Socket()
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    return socket
  }

  /** Waits until all are closed, and destroys the rest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    const closed = [...this.#open].map((socket) => once(socket, 'close'))
    await Promise.race([Promise.allSettled(closed), sleep(limitMs, undefined, { ref: false })])
    this.destroy()
  }

  destroy(): void {
    for (const socket of this.#open) socket.destroy()
  }
}
