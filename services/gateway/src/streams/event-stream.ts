import type { Socket } from 'node:net'
import { heartbeat } from './frame.ts'

/** Why a stream came to its end. */
export type StreamEnd =
  /** The client went away. */
  | 'left'
  /** The client did not read what it was sent. */
  | 'slow'
  /** Whoever opened it wanted so. */
  | 'ended'
  /** The gateway closes. */
  | 'closing'

/** How many heartbeats in a row may find bytes waiting; at 15 s apart, a minute for a large snapshot. */
const maxStalledBeats = 4

/** How long what was sent may take to arrive when a stream has ended, in milliseconds. */
const lingerMs = 5000

/** One open answer to which events are written. It keeps nothing of the request. */
export class EventStream {
  readonly #socket: Socket
  readonly #maxWaitingBytes: number
  readonly #onEnd: (reason: StreamEnd) => void
  #isOpen = true
  #stalledBeats = 0

  constructor(socket: Socket, maxWaitingBytes: number, onEnd: (reason: StreamEnd) => void) {
    this.#socket = socket
    this.#maxWaitingBytes = maxWaitingBytes
    this.#onEnd = onEnd
    socket.on('close', () => this.#finish('left'))
    socket.on('error', ignore)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Never waits and never throws. A client that has not read what came before is sent away when it
   * would have more than its share waiting; it comes back and says what it had last.
   */
  send(frame: Buffer): void {
    if (!this.#isOpen || !this.#socket.writable) return
    const waiting = this.#socket.writableLength
    if (waiting > 0 && waiting + frame.length > this.#maxWaitingBytes) this.#drop()
    else this.#socket.write(frame)
  }

  /** Where bytes are waiting already, one more says nothing. */
  beat(): void {
    if (!this.#isOpen || !this.#socket.writable) return
    if (this.#socket.writableLength === 0) {
      this.#stalledBeats = 0
      this.#socket.write(heartbeat)
    } else if (++this.#stalledBeats >= maxStalledBeats) this.#drop()
  }

  /** Ends it in good order: what was sent arrives, and the client comes back after a moment. */
  end(reason: 'ended' | 'closing' = 'ended'): void {
    if (!this.#isOpen) return
    this.#finish(reason)
    this.#socket.setTimeout(lingerMs, () => this.#socket.destroy())
    this.#socket.destroySoon()
  }

  #drop(): void {
    this.#finish('slow')
    this.#socket.destroy()
  }

  #finish(reason: StreamEnd): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#onEnd(reason)
  }
}

/** What became of a connection is told by `close`. */
function ignore(): void {}
