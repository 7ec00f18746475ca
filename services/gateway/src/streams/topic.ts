import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventStream } from './event-stream.ts'
import type { Frame } from './frame.ts'

/**
 * How many streams are written to at once. At some 10 µs each this is about a millisecond, in which
 * no evaluation is answered.
 */
export const sliceSize = 128

/** How many events may wait for the last of the streams: they come by the thousand a second then. */
const maxBacklog = 256

/**
 * The streams that carry the same events. Each of them gets every event that is published while it
 * is a member, in order; all get the same bytes, and the work is done in slices.
 */
export class Topic {
  readonly #members = new Set<EventStream>()
  readonly #backlog: { readonly frame: Frame; readonly members: readonly EventStream[] }[] = []

  get size(): number {
    return this.#members.size
  }

  add(stream: EventStream): void {
    this.#members.add(stream)
  }

  delete(stream: EventStream): void {
    this.#members.delete(stream)
  }

  end(): void {
    for (const stream of this.#members) stream.end()
  }

  /** The first members have it when this returns, the others in the next milliseconds. */
  publish(frame: Frame): void {
    // Clients reconnect with the id of their last event.
    if (this.#backlog.length >= maxBacklog) this.end()
    const isDelivering = this.#backlog.push({ frame, members: [...this.#members] }) > 1
    if (!isDelivering) void this.#deliver()
  }

  async #deliver(): Promise<void> {
    let sent = 0
    for (let next = this.#backlog[0]; next !== undefined; next = this.#backlog[0]) {
      for (const stream of next.members) {
        stream.send(next.frame)
        if (++sent % sliceSize === 0) await nextTurn()
      }
      this.#backlog.shift()
    }
  }
}
