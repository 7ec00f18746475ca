import type { EventStream } from './event-stream.ts'
import type { Frame } from './frame.ts'

/**
 * How many streams are written to at once. At some 10 µs each this is about a millisecond, in which
 * no evaluation is answered.
 */
const sliceSize = 128

/**
 * How many events may wait for the last of the streams. Those that wait are written together, so
 * this many come about only when events are published by the thousand a second.
 */
const maxBacklog = 256

/**
 * The streams that carry the same events. Each of them gets every event that is published while it
 * is a member, in order; all get the same bytes, and the work is done in slices.
 */
export class Topic {
  /** Each with the number of the event that it gets next. */
  readonly #members = new Map<EventStream, number>()
  /** What some members have not got yet. */
  #frames: Frame[] = []
  /** The number of the first of them. */
  #first = 0
  #isDelivering = false

  get size(): number {
    return this.#members.size
  }

  add(stream: EventStream): void {
    this.#members.set(stream, this.#next)
  }

  delete(stream: EventStream): void {
    this.#members.delete(stream)
  }

  end(): void {
    for (const stream of this.#members.keys()) stream.end()
  }

  /** The first members have it when this returns, the others in the next milliseconds. */
  publish(frame: Frame): void {
    if (this.#members.size === 0) return
    this.#frames.push(frame)
    if (this.#frames.length > maxBacklog) {
      this.#frames.shift()
      this.#first++
    }
    if (this.#isDelivering) return
    this.#isDelivering = true
    this.#deliver(this.#members.entries(), this.#next)
  }

  get #next(): number {
    return this.#first + this.#frames.length
  }

  /** @param until the number up to which all members have everything when this round is over */
  #deliver(round: MapIterator<[EventStream, number]>, until: number): void {
    for (let written = 0; written < sliceSize; written++) {
      const { done, value } = round.next()
      if (done) {
        this.#endRound(until)
        return
      }
      this.#bringUpToDate(...value)
    }
    setImmediate(() => this.#deliver(round, until))
  }

  #endRound(until: number): void {
    if (until === this.#next || this.#members.size === 0) {
      this.#first = this.#next
      this.#frames = []
      this.#isDelivering = false
    } else {
      setImmediate(() => this.#deliver(this.#members.entries(), this.#next))
    }
  }

  #bringUpToDate(stream: EventStream, from: number): void {
    if (from === this.#next) return
    // What it has missed is not here any more; it comes back with the id of its last event.
    if (from < this.#first) {
      stream.end()
      return
    }
    this.#members.set(stream, this.#next)
    for (let i = from - this.#first; i < this.#frames.length; i++) {
      const frame = this.#frames[i]
      if (frame !== undefined) stream.send(frame)
    }
  }
}
