import type { SegmentRecord } from './records.ts'
import { defineSegment, newSegment, type Segment, undefineSegment } from './segment.ts'

/**
 * The segments of a namespace, each one object for as long as it exists or a flag refers to it:
 * a flag may come before its segment, and the segment may go and come back.
 */
export class SegmentTable {
  readonly #segments = new Map<string, Segment>()

  get size(): number {
    return this.#segments.size
  }

  /** @returns the segment with this key, which need not exist yet */
  get(key: string): Segment {
    const known = this.#segments.get(key)
    if (known !== undefined) return known
    const segment = newSegment(key)
    this.#segments.set(key, segment)
    return segment
  }

  define(record: SegmentRecord): void {
    defineSegment(this.get(record.key), record)
  }

  delete(key: string): void {
    const segment = this.#segments.get(key)
    if (segment === undefined) return
    undefineSegment(segment)
    this.#forget(segment)
  }

  retain(segments: Iterable<Segment>): void {
    for (const segment of segments) segment.references++
  }

  release(segments: Iterable<Segment>): void {
    for (const segment of segments) {
      segment.references--
      this.#forget(segment)
    }
  }

  clear(): void {
    this.#segments.clear()
  }

  #forget(segment: Segment): void {
    if (!segment.exists && segment.references === 0) this.#segments.delete(segment.key)
  }
}
