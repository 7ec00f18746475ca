import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A way to a server that can be cut, as when the server is gone, and mended. */
export class Link {
  readonly #target: URL
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #port = 0

  constructor(target: string) {
    this.#target = new URL(target)
  }

  /** The target's URL, but by way of this link. */
  get url(): string {
    const url = new URL(this.#target)
    url.port = String(this.#port)
    return url.href
  }

  async mend(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname)
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    }).listen(this.#port, this.#target.hostname)
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
  }

  async cut(): Promise<void> {
    if (this.#server === undefined) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    this.#server = undefined
  }
}
