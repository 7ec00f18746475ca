import {
  byCreation,
  type CompiledFlag,
  type FlagRecord,
  FlagSet,
  type FlagSetChange,
} from '@svc/evaluation'
import type { Segment } from '@svc/proto/resource/v1/segments'
import type { NamespaceChange } from '@svc/proto/resource/v1/watch'
import { ChangeLog, type LoggedChanges } from './change-log.ts'
import { EncodedFlag } from './flag-text.ts'

/** A namespace, or some of its flags, as of one revision; later changes leave it alone. */
export interface NamespaceView {
  readonly namespaceKey: string
  readonly revision: number
  /** In list order; {@link flagTextOf} has their texts. */
  readonly flags: readonly CompiledFlag[]
  readonly segments: ReadonlyMap<string, Segment>
}

/** A part of a change, with the keys of its flags. */
export interface ReadPart
  extends Pick<NamespaceChange, 'segments' | 'deletedFlagKeys' | 'deletedSegmentKeys'> {
  readonly flags: readonly EncodedFlag[]
}

/**
 * Minimum number of changes kept per namespace. A large one keeps half as many as it has
 * flags: for a client that lacks more, the whole takes no longer.
 */
const minKeptChanges = 512

/** One namespace as of a revision: compiled for evaluation, and as its source for snapshots. */
export class NamespaceState {
  readonly key: string
  readonly flags = new FlagSet()
  #revision = 0
  #segments = new Map<string, Segment>()
  /** Of the current revision, once it has been asked for. */
  #view: NamespaceView | undefined
  #changes = new ChangeLog(0)
  /** Of the current revision, once it has been asked for. */
  #bytes: number | undefined

  constructor(key: string) {
    this.key = key
  }

  get revision(): number {
    return this.#revision
  }

  /** Size of the flags as they are kept here; it does not compile them. */
  get bytes(): number {
    if (this.#bytes === undefined) {
      this.#bytes = 0
      for (const source of this.flags.sources()) this.#bytes += toEncoded(source).bytes
    }
    return this.#bytes
  }

  /** The whole as it is now; the same object until it changes. */
  view(): NamespaceView {
    this.#view ??= this.#viewOf(this.flags.flags())
    return this.#view
  }

  /** Some of it as it is now; keys of flags that do not exist are left out. */
  viewOf(flagKeys: Iterable<string>): NamespaceView {
    const flags = Array.from(flagKeys, (key) => this.flags.get(key) ?? [])
    return this.#viewOf(flags.flat().sort(byCreation))
  }

  /**
   * The keys of the flags that are not as they were at `revision`, by themselves or by their segments.
   * Some may be gone.
   *
   * @returns `undefined` when that is too long ago to be known
   */
  changedSince(revision: number): ReadonlySet<string> | undefined {
    const changes = this.changesSince(revision)
    if (changes === undefined) return undefined
    const { flagKeys, segmentKeys } = changes
    return segmentKeys.size === 0
      ? flagKeys
      : new Set([...flagKeys, ...this.flags.usersOf(segmentKeys)])
  }

  /**
   * The keys of the flags and segments that are not as they were at `revision`, by themselves. Some may be
   * gone.
   *
   * @returns `undefined` when that is too long ago to be known
   */
  changesSince(revision: number): LoggedChanges | undefined {
    return this.#changes.since(revision)
  }

  /** Takes in a part of the whole. Until the last one is here, the state must not be read. */
  load(part: ReadPart, revision: number): void {
    this.#take(part, revision)
    this.#changes = new ChangeLog(revision)
  }

  /** Applies the parts of one change at once: no reader sees some of them. */
  apply(parts: readonly ReadPart[], revision: number): void {
    const change = {
      flags: parts.flatMap(({ flags }) => flags),
      segments: parts.flatMap(({ segments }) => segments),
      deletedFlagKeys: parts.flatMap(({ deletedFlagKeys }) => deletedFlagKeys),
      deletedSegmentKeys: parts.flatMap(({ deletedSegmentKeys }) => deletedSegmentKeys),
    }
    this.#take(change, revision)
    const entry = {
      revision,
      flagKeys: change.flags.map(({ key }) => key).concat(change.deletedFlagKeys),
      segmentKeys: change.segments.map(({ key }) => key).concat(change.deletedSegmentKeys),
    }
    this.#changes.add(entry, Math.max(minKeptChanges, this.flags.size / 2))
  }

  #take(change: FlagSetChange & Pick<ReadPart, 'segments'>, revision: number): void {
    const { segments, deletedSegmentKeys } = change
    this.#revision = revision
    this.#view = undefined
    this.#bytes = undefined
    this.flags.apply(change)
    if (segments.length === 0 && deletedSegmentKeys.length === 0) return
    // Views have the map of their revision.
    this.#segments = new Map(this.#segments)
    for (const key of deletedSegmentKeys) this.#segments.delete(key)
    for (const segment of segments) this.#segments.set(segment.key, segment)
  }

  #viewOf(flags: readonly CompiledFlag[]): NamespaceView {
    return { namespaceKey: this.key, revision: this.#revision, flags, segments: this.#segments }
  }
}

/** The text of a flag of a namespace, made when it is first needed. */
export function flagTextOf(flag: CompiledFlag): string {
  return sourceOf(flag).text
}

/** The record of a flag of a namespace, made when it is first needed. */
export function recordTextOf(flag: CompiledFlag): string {
  return sourceOf(flag).recordText
}

/** What a flag of a namespace was compiled of. */
export function flagRecordOf(flag: CompiledFlag): FlagRecord {
  return sourceOf(flag).toRecord()
}

function sourceOf({ source }: CompiledFlag): EncodedFlag {
  return toEncoded(source)
}

function toEncoded(source: unknown): EncodedFlag {
  if (!(source instanceof EncodedFlag)) throw new Error('a flag without its source')
  return source
}
