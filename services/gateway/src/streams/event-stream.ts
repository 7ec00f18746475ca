import type { Socket } from 'node:net'
import { AppError } from '@svc/runtime'
import { type Frame, heartbeat, longestSendMs } from './frame.ts'

/** Maximum heartbeats in a row that find as much waiting as the one before: a minute, at 15 s apart. */
const maxStalledBeats = 4

/** Longest pause in the delivery of the last events when a stream has ended, in milliseconds. */
const lingerMs = 5000

interface Queued {
  readonly frame: Frame
  readonly written: Promise<void>
  /** Resolves {@link written}. */
  readonly note: () => void
}

/** One open answer to which events are written. It keeps nothing of the request. */
export class EventStream {
  readonly #socket: Socket
  readonly #maxWaitingBytes: number
  readonly #onEnd: () => void
  #isOpen = true
  #stalledBeats = 0
  /** Bytes that the client had taken by the last heartbeat. */
  #taken = 0
  /** Frames behind a sliced one, which is the first until its last slice is written. */
  readonly #queue: Queued[] = []
  /** Of those behind: what of the first is to come is in no memory yet. */
  #queuedBytes = 0
  /** When the frame that is being sent has taken too long, by the clock of `performance`. */
  #lateAt: number | undefined
  /** Ends the wait for a socket that is full. */
  #resume: () => void = ignore

  constructor(socket: Socket, maxWaitingBytes: number, onEnd: () => void) {
    this.#socket = socket
    this.#maxWaitingBytes = maxWaitingBytes
    this.#onEnd = onEnd
    socket.on('close', () => this.#finish())
    // An error is followed by `close`, which is what counts.
    socket.on('error', ignore)
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Resolves when what is queued by now is written, or the stream has ended. */
  get sent(): Promise<void> {
    return this.#queue.at(-1)?.written ?? Promise.resolve()
  }

  /**
   * Never waits and never throws. A client that has not read what came before is disconnected when it
   * would have more than its share waiting; it reconnects with the id of its last event.
   */
  send(frame: Frame): void {
    if (!this.#isOpen || !this.#socket.writable) return
    const waiting = this.#socket.writableLength + this.#queuedBytes
    if (waiting > 0 && waiting + frame.length > this.#maxWaitingBytes) this.#drop()
    else if (this.#queue.length === 0 && Buffer.isBuffer(frame)) this.#socket.write(frame)
    else {
      const { promise: written, resolve: note } = Promise.withResolvers<void>()
      this.#queue.push({ frame, written, note })
      this.#queuedBytes += frame.length
      if (this.#queue.length === 1) void this.#sendQueued()
    }
  }

  /** Sends a heartbeat, unless bytes are waiting or a frame has more slices. */
  beat(): void {
    if (!this.#isOpen || !this.#socket.writable) return
    const { bytesWritten, writableLength } = this.#socket
    const taken = bytesWritten - writableLength
    const isWaiting = this.#queue.length > 0 || writableLength > 0
    if (!isWaiting) this.#socket.write(heartbeat)
    this.#stalledBeats = isWaiting && taken === this.#taken ? this.#stalledBeats + 1 : 0
    this.#taken = taken
    const isLate = this.#lateAt !== undefined && performance.now() >= this.#lateAt
    if (this.#stalledBeats >= maxStalledBeats || isLate) this.#drop()
  }

  /** Ends it gracefully: what was sent arrives, and the client reconnects after its retry time. */
  end(): void {
    if (!this.#isOpen) return
    this.#finish()
    this.#socket.setTimeout(lingerMs, () => this.#socket.destroy())
    this.#socket.destroySoon()
  }

  async #sendQueued(): Promise<void> {
    try {
      await this.#writeQueued()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // It is not the turn of this stream: the client comes back with the id of its last event.
      this.end()
    }
  }

  async #writeQueued(): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const { frame, note } = next
      this.#queuedBytes -= frame.length
      const slices = Buffer.isBuffer(frame) ? [frame] : frame.slices()
      for await (const slice of slices) {
        if (!this.#isOpen) return
        // From the first slice on: one that waits for its turn is not slow.
        this.#lateAt ??= performance.now() + longestSendMs(frame.length)
        if (!this.#socket.write(slice)) await this.#drained()
      }
      this.#lateAt = undefined
      this.#queue.shift()
      note()
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
      this.#socket.once('drain', resolve)
    })
  }

  #drop(): void {
    this.#finish()
    this.#socket.destroy()
  }

  #finish(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#resume()
    for (const { note } of this.#queue) note()
    this.#onEnd()
  }
}

function ignore(): void {}
