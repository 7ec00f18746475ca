import { type CompiledFlag, type FlagRecord, FlagSet } from '@svc/evaluation'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, FlagStateHead, type NamespaceChange } from '@svc/proto/resource/v1/watch'
import type { EventLoopScheduler } from '@svc/runtime'
import { ChangeLog } from './change-log.ts'
import { decodeFlagState, FlagSource } from './flag-text.ts'

/** A namespace, or some of its flags, as of one revision; later changes leave it alone. */
export interface NamespaceView {
  readonly namespaceKey: string
  readonly revision: number
  /** In list order; {@link flagTextOf} has their texts. */
  readonly flags: readonly CompiledFlag[]
  readonly segments: ReadonlyMap<string, Segment>
}

/** A part of a change with its flags compiled, by {@link NamespaceState.compile}. */
export interface PreparedPart {
  readonly part: NamespaceChange
  readonly flags: readonly CompiledFlag[]
}

/**
 * Minimum number of changes remembered per namespace. A large one remembers half as many as it has
 * flags: for a client that lacks more, the whole takes no longer.
 */
const minRememberedChanges = 512

/** Flags between two looks at the clock: a fraction of a millisecond's work. */
export const flagsAtOnce = 32

/** One namespace as of a revision: compiled for evaluation, and as its source for snapshots. */
export class NamespaceState {
  readonly key: string
  /** Differs from that of the state that replaces this one. */
  readonly id = Symbol()
  readonly flags = new FlagSet((key) => this.#decode(key))
  #revision = 0
  /** Flags that have not been compiled, a character for each byte. */
  readonly #encoded = new Map<string, string>()
  #segments = new Map<string, Segment>()
  /** Of the current revision, once it has been asked for. */
  #view: NamespaceView | undefined
  #changes = new ChangeLog(0)

  constructor(key: string) {
    this.key = key
  }

  get revision(): number {
    return this.#revision
  }

  /** The whole as it is now; the same object until it changes. */
  view(): NamespaceView {
    this.#view ??= this.#viewOf(this.flags.flags())
    return this.#view
  }

  /** Some of it as it is now; keys of flags that do not exist are left out. */
  viewOf(flagKeys: Iterable<string>): NamespaceView {
    const flags = Array.from(flagKeys, (key) => this.flags.get(key) ?? [])
    return this.#viewOf(flags.flat().sort((a, b) => a.createdAt - b.createdAt))
  }

  /**
   * The keys of the flags that are not as they were at `revision`, by themselves or by their segments.
   * Some may be gone.
   *
   * @returns `undefined` when that is too long ago to be known
   */
  changedSince(revision: number): ReadonlySet<string> | undefined {
    const changes = this.#changes.since(revision)
    if (changes === undefined) return undefined
    const { flagKeys, segmentKeys } = changes
    return segmentKeys.size === 0
      ? flagKeys
      : new Set([...flagKeys, ...this.flags.usersOf(segmentKeys)])
  }

  /** Compiles the flags of a part of a change, one with each step. No reader sees them yet. */
  *compile({ flags }: NamespaceChange): Generator<CompiledFlag, void> {
    for (const bytes of flags) yield this.flags.compile(toRecord(bytes))
  }

  /** Applies the parts of one change at once: no reader sees some of them. */
  apply(parts: readonly PreparedPart[], revision: number): void {
    const segments = parts.flatMap(({ part }) => part.segments)
    const deletedFlagKeys = parts.flatMap(({ part }) => part.deletedFlagKeys)
    const deletedSegmentKeys = parts.flatMap(({ part }) => part.deletedSegmentKeys)
    const compiled = parts.flatMap(({ flags }) => flags)
    for (const key of deletedFlagKeys) this.#encoded.delete(key)
    this.#replaceSegments(segments, deletedSegmentKeys)
    for (const { key } of compiled) this.#encoded.delete(key)
    this.flags.apply({ flags: [], compiled, segments, deletedFlagKeys, deletedSegmentKeys })
    if (parts[0]?.part.fromRevision === 0) {
      this.complete(revision)
      return
    }
    const entry = {
      revision,
      flagKeys: joined(
        compiled.map(({ key }) => key),
        deletedFlagKeys,
      ),
      segmentKeys: joined(
        segments.map(({ key }) => key),
        deletedSegmentKeys,
      ),
    }
    this.#changes.add(entry, Math.max(minRememberedChanges, this.flags.size / 2))
    this.#advance(revision)
  }

  /**
   * Adds a part of the whole, in slices. Its flags are compiled later, which takes most of the time.
   * Until it is {@link complete} the state must not be read.
   */
  async load({ flags, segments }: NamespaceChange, scheduler: EventLoopScheduler): Promise<void> {
    this.#replaceSegments(segments, [])
    this.flags.apply({ flags: [], segments, deletedFlagKeys: [], deletedSegmentKeys: [] })
    for (let i = 0; i < flags.length; i += flagsAtOnce) {
      const some = flags.slice(i, i + flagsAtOnce)
      const keys = some.map((bytes) => FlagStateHead.decode(bytes).flag?.key ?? '')
      for (const [index, key] of keys.entries()) {
        this.#encoded.set(key, some[index]?.toString('latin1') ?? '')
      }
      this.flags.expect(keys)
      if (scheduler.shouldYield) await scheduler.yield()
    }
  }

  /** All parts of the whole are here. */
  complete(revision: number): void {
    this.#changes = new ChangeLog(revision)
    this.#advance(revision)
  }

  #advance(revision: number): void {
    this.#revision = revision
    this.#view = undefined
  }

  #decode(flagKey: string): FlagRecord {
    const encoded = this.#encoded.get(flagKey) ?? ''
    this.#encoded.delete(flagKey)
    return recordOf(decodeFlagState(encoded), encoded)
  }

  #viewOf(flags: readonly CompiledFlag[]): NamespaceView {
    return { namespaceKey: this.key, revision: this.#revision, flags, segments: this.#segments }
  }

  #replaceSegments(segments: readonly Segment[], deletedKeys: readonly string[]): void {
    if (segments.length === 0 && deletedKeys.length === 0) return
    // Views have the map of their revision.
    this.#segments = new Map(this.#segments)
    for (const key of deletedKeys) this.#segments.delete(key)
    for (const segment of segments) this.#segments.set(segment.key, segment)
  }
}

/** The text of a flag of a namespace, made when it is first needed. */
export function flagTextOf({ source }: CompiledFlag): string {
  if (!(source instanceof FlagSource)) throw new Error('a flag without its source')
  return source.text
}

function toRecord(bytes: Buffer): FlagRecord {
  return recordOf(FlagState.decode(bytes), bytes.toString('latin1'))
}

function recordOf({ flag, rules, rollouts }: FlagState, encoded: string): FlagRecord {
  if (flag === undefined) throw new Error('a state without its flag')
  return { ...flag, rules, rollouts, source: new FlagSource(encoded) }
}

/** Without a copy where there is nothing to join, which is nearly always. */
function joined(keys: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return keys
  return keys.length === 0 ? others : [...keys, ...others]
}
