import { type CompiledFlag, compileFlag, segmentsOf } from './flag.ts'
import type { FlagRecord, SegmentRecord } from './records.ts'
import { SegmentTable } from './segment-table.ts'

/** What changed in a namespace. What is deleted goes first, so a key may be in both lists of a kind. */
export interface FlagSetChange {
  readonly flags: readonly FlagRecord[]
  readonly segments: readonly SegmentRecord[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

/** The flags of one namespace, compiled. */
export class FlagSet {
  #flags = new Map<string, CompiledFlag>()
  #isInOrder = true
  #lastCreatedAt = 0
  readonly #segments = new SegmentTable()

  get size(): number {
    return this.#flags.size
  }

  /** The flag stays as it is when the set changes, but its segments change with the set. */
  get(flagKey: string): CompiledFlag | undefined {
    return this.#flags.get(flagKey)
  }

  /** By time of creation; flags created at the same time, in the order in which they were applied. */
  flags(): IterableIterator<CompiledFlag> {
    if (!this.#isInOrder) {
      const ordered = [...this.#flags].sort(([, a], [, b]) => a.createdAt - b.createdAt)
      this.#flags = new Map(ordered)
      this.#isInOrder = true
    }
    return this.#flags.values()
  }

  /**
   * Takes in a change. No evaluation sees a part of it, and it costs what changed: a changed segment
   * is compiled once and the flags that use it not at all.
   */
  apply(change: FlagSetChange): void {
    for (const key of change.deletedFlagKeys) this.#delete(key)
    for (const key of change.deletedSegmentKeys) this.#segments.delete(key)
    for (const segment of change.segments) this.#segments.define(segment)
    for (const flag of change.flags) this.#put(flag)
  }

  /** The keys of the flags that refer to any of these segments. It looks at every flag there is. */
  usersOf(segmentKeys: Iterable<string>): string[] {
    const wanted = new Set(segmentKeys)
    const users: string[] = []
    if (wanted.size === 0) return users
    for (const flag of this.#flags.values()) {
      if ([...segmentsOf(flag)].some(({ key }) => wanted.has(key))) users.push(flag.key)
    }
    return users
  }

  clear(): void {
    this.#flags.clear()
    this.#segments.clear()
    this.#isInOrder = true
    this.#lastCreatedAt = 0
  }

  #put(record: FlagRecord): void {
    const before = this.#flags.get(record.key)
    const flag = compileFlag(record, (key) => this.#segments.get(key))
    this.#segments.retain(segmentsOf(flag))
    if (before !== undefined) this.#segments.release(segmentsOf(before))
    // A flag that was deleted and made anew since has a new place.
    if (before?.createdAt !== flag.createdAt) this.#flags.delete(flag.key)
    if (!this.#flags.has(flag.key)) {
      if (flag.createdAt < this.#lastCreatedAt) this.#isInOrder = false
      else this.#lastCreatedAt = flag.createdAt
    }
    this.#flags.set(flag.key, flag)
  }

  #delete(key: string): void {
    const flag = this.#flags.get(key)
    if (flag === undefined) return
    this.#flags.delete(key)
    this.#segments.release(segmentsOf(flag))
  }
}
