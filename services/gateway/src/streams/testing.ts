import type { Socket } from 'node:net'
import { Writable } from 'node:stream'

/** The socket of a client that takes what is written when the test says so. */
export class FakeSocket extends Writable {
  /** What the client has got. */
  readonly taken: Buffer[] = []
  #takenBytes = 0
  #isReading = false
  #pending: (() => void) | undefined

  /** Also what waits here. */
  get bytesWritten(): number {
    return this.#takenBytes + this.writableLength
  }

  /** Takes one piece that was written, if there is one. */
  take(): void {
    const taken = this.#pending
    this.#pending = undefined
    taken?.()
  }

  /** Takes everything from now on. */
  read(): void {
    this.#isReading = true
    this.take()
  }

  text(): string {
    return Buffer.concat(this.taken).toString()
  }

  asSocket(): Socket {
    return this as unknown as Socket
  }

  setTimeout(): this {
    return this
  }

  destroySoon(): void {
    this.end(() => this.destroy())
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#pending = () => {
      this.taken.push(chunk)
      this.#takenBytes += chunk.length
      done()
    }
    if (this.#isReading) this.take()
  }
}
