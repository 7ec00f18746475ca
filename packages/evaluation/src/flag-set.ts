import { CreationOrder } from './creation-order.ts'
import { type CompiledFlag, compileFlag, segmentsOf } from './flag.ts'
import type { FlagRecord, SegmentRecord } from './records.ts'
import { SegmentTable } from './segment-table.ts'

/** What changed in a namespace. What is deleted goes first, so a key may be in both lists of a kind. */
export interface FlagSetChange {
  readonly flags: readonly FlagRecord[]
  readonly segments: readonly SegmentRecord[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
  /** Flags that have been compiled ahead, by the set that takes in the change. */
  readonly compiled?: readonly CompiledFlag[]
}

/** The flags of one namespace, compiled. */
export class FlagSet {
  /** `undefined` is one that has not been needed yet. */
  readonly #flags = new Map<string, CompiledFlag | undefined>()
  /** How many of those there are. */
  #waiting = 0
  /** The flags that are compiled. */
  #order = new CreationOrder<CompiledFlag>()
  readonly #segments = new SegmentTable()
  readonly #recordOf: (flagKey: string) => FlagRecord

  /** @param recordOf gives the records of flags that are expected */
  constructor(recordOf: (flagKey: string) => FlagRecord = noRecord) {
    this.#recordOf = recordOf
  }

  get size(): number {
    return this.#flags.size
  }

  /** The flag stays as it is when the set changes, but its segments change with the set. */
  get(flagKey: string): CompiledFlag | undefined {
    const flag = this.#flags.get(flagKey)
    return flag === undefined && this.#waiting > 0 ? this.#compile(flagKey) : flag
  }

  /**
   * Adds flags that are not in the set, without compiling them: each is when it is needed, or when
   * {@link compileRest} comes to it.
   */
  expect(flagKeys: Iterable<string>): void {
    for (const key of flagKeys) {
      this.#flags.set(key, undefined)
      this.#waiting += 1
    }
  }

  /** Compiles what is left, one with each step. Between steps the set may change. */
  *compileRest(): Generator<CompiledFlag, void> {
    for (const [key, flag] of this.#flags) {
      if (this.#waiting === 0) return
      if (flag !== undefined) continue
      const compiled = this.#compile(key)
      if (compiled !== undefined) yield compiled
    }
  }

  /**
   * By time of creation; flags created at the same time, in the order in which they were applied. The
   * list stays as it is when the set changes.
   */
  flags(): readonly CompiledFlag[] {
    for (const _ of this.compileRest());
    return this.#order.list()
  }

  /**
   * Takes in a change. No evaluation sees a part of it, and it costs what changed: a changed segment
   * is compiled once and the flags that use it not at all.
   */
  apply(change: FlagSetChange): void {
    for (const key of change.deletedFlagKeys) this.#delete(key)
    for (const key of change.deletedSegmentKeys) this.#segments.delete(key)
    for (const segment of change.segments) this.#segments.define(segment)
    for (const record of change.flags) this.#put(this.compile(record))
    for (const flag of change.compiled ?? []) this.#put(flag)
  }

  /**
   * Compiles a flag ahead of its change, so that a large change can be prepared in slices. The segments
   * that it uses are kept for it: it has to be applied, or discarded.
   */
  compile(record: FlagRecord): CompiledFlag {
    const flag = compileFlag(record, (key) => this.#segments.get(key))
    this.#segments.retain(segmentsOf(flag))
    return flag
  }

  /** Forgets flags that were compiled for a change that does not come. */
  discard(flags: Iterable<CompiledFlag>): void {
    for (const flag of flags) this.#segments.release(segmentsOf(flag))
  }

  /** The keys of the flags that refer to any of these segments. It looks at every flag there is. */
  usersOf(segmentKeys: Iterable<string>): string[] {
    const wanted = new Set(segmentKeys)
    const users: string[] = []
    if (wanted.size === 0) return users
    for (const flag of this.flags()) {
      if ([...segmentsOf(flag)].some(({ key }) => wanted.has(key))) users.push(flag.key)
    }
    return users
  }

  clear(): void {
    this.#flags.clear()
    this.#waiting = 0
    this.#segments.clear()
    this.#order = new CreationOrder()
  }

  /** @returns a flag that has been waiting, `undefined` when there is none */
  #compile(flagKey: string): CompiledFlag | undefined {
    if (!this.#flags.has(flagKey)) return undefined
    return this.#put(this.compile(this.#recordOf(flagKey)))
  }

  #put(flag: CompiledFlag): CompiledFlag {
    const before = this.#flags.get(flag.key)
    if (before !== undefined) this.#segments.release(segmentsOf(before))
    else if (this.#flags.has(flag.key)) this.#waiting -= 1
    if (before?.createdAt === flag.createdAt) this.#order.replace(before, flag)
    else {
      // A flag that was deleted and made anew since has a new place.
      if (before !== undefined) this.#order.delete(before)
      this.#order.add(flag)
    }
    this.#flags.set(flag.key, flag)
    return flag
  }

  #delete(key: string): void {
    const flag = this.#flags.get(key)
    if (flag !== undefined) {
      this.#segments.release(segmentsOf(flag))
      this.#order.delete(flag)
    } else if (this.#flags.has(key)) this.#waiting -= 1
    this.#flags.delete(key)
  }
}

function noRecord(flagKey: string): never {
  throw new Error(`there is no record of the flag ${flagKey}`)
}
