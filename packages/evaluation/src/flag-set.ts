import { type BooleanFlag, compileBooleanFlag } from './boolean-flag.ts'
import type { Condition } from './condition.ts'
import { CreationOrder } from './creation-order.ts'
import type { FlagRecord, FlagSource, SegmentRecord } from './records.ts'
import { defineSegment, newSegment, type Segment } from './segment.ts'
import { compileVariantFlag, type VariantFlag } from './variant-flag.ts'

export type CompiledFlag = BooleanFlag | VariantFlag

/** What changed in a namespace. What is deleted goes first, so a key may be in both lists of a kind. */
export interface FlagSetChange {
  readonly flags: readonly (FlagRecord | FlagSource)[]
  readonly segments: readonly SegmentRecord[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

/** Deletions of segments until those are forgotten that no flag refers to: keys come and go. */
const maxDeletedSegments = 1000

/** The flags of one namespace, each compiled when it is first needed. */
export class FlagSet {
  readonly #compiled = new Map<string, CompiledFlag>()
  /** Not in the other map, as long as it is here. */
  readonly #waiting = new Map<string, FlagRecord | FlagSource>()
  /** Each one object for as long as it exists or a flag refers to it: a flag may come before it. */
  readonly #segments = new Map<string, Segment>()
  #deletedSegments = 0
  readonly #order = new CreationOrder<CompiledFlag>()
  /** Flags that are still in the order, each until the one that replaces it is compiled. */
  readonly #replaced = new Map<string, CompiledFlag>()

  get size(): number {
    return this.#compiled.size + this.#waiting.size
  }

  /** The flag stays as it is when the set changes, but its segments change with the set. */
  get(flagKey: string): CompiledFlag | undefined {
    return this.#compiled.get(flagKey) ?? this.#compile(flagKey)
  }

  /** What each flag was made of; it compiles none. */
  *sources(): Generator<unknown, void> {
    yield* this.#waiting.values()
    for (const { source } of this.#compiled.values()) yield source
  }

  /** Compiles what is left, one with each step. Between steps the set may change. */
  *compileRest(): Generator<void, void> {
    for (const key of this.#waiting.keys()) {
      this.#compile(key)
      yield
    }
  }

  /** {@link byCreation}. The list stays as it is when the set changes. */
  flags(): readonly CompiledFlag[] {
    for (const _ of this.compileRest());
    return this.#order.list()
  }

  /**
   * Takes in a change. No evaluation sees a part of it, and it costs what changed: a changed segment
   * is compiled once and the flags that use it not at all.
   */
  apply({ flags, segments, deletedFlagKeys, deletedSegmentKeys }: FlagSetChange): void {
    for (const key of deletedFlagKeys) this.#delete(key)
    for (const key of deletedSegmentKeys) defineSegment(this.#segment(key), undefined)
    for (const record of segments) defineSegment(this.#segment(record.key), record)
    for (const flag of flags) {
      const replaced = this.#compiled.get(flag.key)
      if (replaced !== undefined) this.#replaced.set(flag.key, replaced)
      this.#compiled.delete(flag.key)
      this.#waiting.set(flag.key, flag)
    }
    this.#deletedSegments += deletedSegmentKeys.length
    if (this.#deletedSegments > maxDeletedSegments) this.#forgetSegments()
  }

  /** The keys of the flags that refer to any of these segments. It looks at every flag there is. */
  usersOf(segmentKeys: ReadonlySet<string>): string[] {
    return this.flags()
      .filter((flag) => segmentsOf(flag).some(({ key }) => segmentKeys.has(key)))
      .map(({ key }) => key)
  }

  #compile(flagKey: string): CompiledFlag | undefined {
    const waiting = this.#waiting.get(flagKey)
    if (waiting === undefined) return undefined
    const flag = compileFlag(waiting, (key) => this.#segment(key))
    this.#waiting.delete(flagKey)
    this.#compiled.set(flagKey, flag)
    const replaced = this.#replaced.get(flagKey)
    if (replaced?.createdAt === flag.createdAt) this.#order.replace(replaced, flag)
    else {
      // A flag that was deleted and made anew since has a new place.
      if (replaced !== undefined) this.#order.delete(replaced)
      this.#order.add(flag)
    }
    this.#replaced.delete(flagKey)
    return flag
  }

  #delete(flagKey: string): void {
    const flag = this.#compiled.get(flagKey) ?? this.#replaced.get(flagKey)
    if (flag !== undefined) this.#order.delete(flag)
    this.#compiled.delete(flagKey)
    this.#replaced.delete(flagKey)
    this.#waiting.delete(flagKey)
  }

  #segment(key: string): Segment {
    const known = this.#segments.get(key)
    if (known !== undefined) return known
    const segment = newSegment(key)
    this.#segments.set(key, segment)
    return segment
  }

  #forgetSegments(): void {
    const used = new Set([...this.#compiled.values()].flatMap(segmentsOf))
    for (const [key, segment] of this.#segments) {
      if (!segment.exists && !used.has(segment)) this.#segments.delete(key)
    }
    this.#deletedSegments = 0
  }
}

function compileFlag(
  flag: FlagRecord | FlagSource,
  findSegment: (key: string) => Segment,
): CompiledFlag {
  const [source, record] = 'toRecord' in flag ? [flag, flag.toRecord()] : [undefined, flag]
  const { seconds, nanos } = record.createdAt ?? { seconds: 0, nanos: 0 }
  const createdAt = seconds * 1e6 + Math.floor(nanos / 1000)
  const origin = { key: record.key, createdAt, source }
  return record.type === 'BOOLEAN_FLAG_TYPE'
    ? compileBooleanFlag(record, origin, findSegment)
    : compileVariantFlag(record, origin, findSegment)
}

interface Part {
  readonly condition: Condition | undefined
  readonly next: Part | undefined
}

/** The segments that a flag refers to, one that it refers to twice twice. */
function segmentsOf(flag: CompiledFlag): readonly Segment[] {
  const segments: Segment[] = []
  let part: Part | undefined = flag.type === 'BOOLEAN_FLAG_TYPE' ? flag.rollouts : flag.rules
  for (; part !== undefined; part = part.next) segments.push(...(part.condition?.segments ?? []))
  return segments
}
