import { type FlagRecord, FlagSet } from '@svc/evaluation'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, FlagStateHead, type NamespaceChange } from '@svc/proto/resource/v1/watch'
import type { EventLoopScheduler } from '@svc/runtime'
import { ChangeLog } from './change-log.ts'

/** Flags of a namespace as of one revision; later changes leave this alone. */
export interface NamespaceView {
  readonly revision: number
  /** In list order. */
  readonly flagKeys: readonly string[]
  /** The state of each of them, to be read with {@link decodeState}. */
  readonly states: readonly string[]
  readonly segments: ReadonlyMap<string, Segment>
}

/**
 * How many changes are remembered in any namespace. Beyond that, as many as half of its flags: who
 * lacks more than that is told the whole as quickly.
 */
const minRememberedChanges = 512

type Content = Pick<
  NamespaceChange,
  'flags' | 'segments' | 'deletedFlagKeys' | 'deletedSegmentKeys'
>

const nothing: Content = { flags: [], segments: [], deletedFlagKeys: [], deletedSegmentKeys: [] }

/** A fraction of a millisecond's worth: whether a turn is over need not be asked more often. */
const flagsAtOnce = 32

/** One namespace as of a revision: compiled for evaluation, and as it was sent, for snapshots. */
export class NamespaceState {
  readonly key: string
  /** Tells it from a copy that comes in its place. */
  readonly id = Symbol()
  readonly flags = new FlagSet((key) => toRecord(FlagState.decode(this.#bytesOf(key))))
  #revision = 0
  /**
   * Encoded, a character for each byte: a text takes 16 bytes besides them, an array of bytes 200, and
   * a part of a received message would hold on to all of that message.
   */
  readonly #states = new Map<string, string>()
  #segments = new Map<string, Segment>()
  /** A view has the segments, too: they are not to be changed in place. */
  #isViewed = false
  #changes = new ChangeLog(0)

  constructor(key: string) {
    this.key = key
  }

  get revision(): number {
    return this.#revision
  }

  /** All of it as it is now. Costs a reference to each flag. */
  view(): NamespaceView {
    return this.#viewOf(Array.from(this.flags.flags(), ({ key }) => key))
  }

  /** Some of it as it is now; keys of flags that do not exist are left out. */
  viewOf(flagKeys: Iterable<string>): NamespaceView {
    const flags = Array.from(flagKeys, (key) => this.flags.get(key) ?? [])
    const inOrder = flags.flat().sort((a, b) => a.createdAt - b.createdAt)
    return this.#viewOf(inOrder.map(({ key }) => key))
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

  /** Takes the parts of one change in at once; nobody sees some of them. */
  apply(parts: readonly NamespaceChange[], revision: number): void {
    const segments = parts.flatMap((part) => part.segments)
    const deletedFlagKeys = parts.flatMap((part) => part.deletedFlagKeys)
    const deletedSegmentKeys = parts.flatMap((part) => part.deletedSegmentKeys)
    for (const key of deletedFlagKeys) this.#states.delete(key)
    this.#replaceSegments(segments, deletedSegmentKeys)
    const flagKeys = this.#replaceFlags({
      flags: parts.flatMap(({ flags }) => flags),
      segments,
      deletedFlagKeys,
      deletedSegmentKeys,
    })
    if (parts[0]?.fromRevision === 0) {
      this.complete(revision)
      return
    }
    const entry = {
      revision,
      flagKeys: joined(flagKeys, deletedFlagKeys),
      segmentKeys: joined(
        segments.map(({ key }) => key),
        deletedSegmentKeys,
      ),
    }
    this.#changes.add(entry, Math.max(minRememberedChanges, this.flags.size / 2))
    this.#revision = revision
  }

  /**
   * Takes in a part of the whole, in turns with everything else: the flags as they are, for most of the
   * time goes into compiling them. Nobody may look at the copy before it is {@link complete}.
   */
  async load({ flags, segments }: NamespaceChange, scheduler: EventLoopScheduler): Promise<void> {
    this.#replaceSegments(segments, [])
    this.flags.apply({ ...nothing, flags: [], segments })
    for (let i = 0; i < flags.length; i += flagsAtOnce) {
      const some = flags.slice(i, i + flagsAtOnce)
      const keys = some.map((state) => FlagStateHead.decode(state).flag?.key ?? '')
      for (const [index, key] of keys.entries()) {
        this.#states.set(key, some[index]?.toString('latin1') ?? '')
      }
      this.flags.expect(keys)
      if (scheduler.shouldYield) await scheduler.yield()
    }
  }

  /** All parts of the whole are here. */
  complete(revision: number): void {
    this.#changes = new ChangeLog(revision)
    this.#revision = revision
  }

  /** @returns the keys of the flags that are not deleted */
  #replaceFlags(change: Content): string[] {
    const records = change.flags.map((bytes) => toRecord(FlagState.decode(bytes)))
    this.flags.apply({ ...change, flags: records })
    for (const [index, { key }] of records.entries()) {
      this.#states.set(key, change.flags[index]?.toString('latin1') ?? '')
    }
    return records.map(({ key }) => key)
  }

  #bytesOf(flagKey: string): Buffer {
    return Buffer.from(this.#states.get(flagKey) ?? '', 'latin1')
  }

  #viewOf(flagKeys: readonly string[]): NamespaceView {
    this.#isViewed = true
    const states = flagKeys.map((key) => this.#states.get(key) ?? '')
    return { revision: this.#revision, flagKeys, states, segments: this.#segments }
  }

  #replaceSegments(segments: readonly Segment[], deletedKeys: readonly string[]): void {
    if (segments.length === 0 && deletedKeys.length === 0) return
    if (this.#isViewed) this.#segments = new Map(this.#segments)
    this.#isViewed = false
    for (const key of deletedKeys) this.#segments.delete(key)
    for (const segment of segments) this.#segments.set(segment.key, segment)
  }
}

function toRecord({ flag, rules, rollouts }: FlagState): FlagRecord {
  if (flag === undefined) throw stateWithoutFlag()
  return { ...flag, rules, rollouts }
}

/** A flag with what decides what it serves, its default variant as it is among its variants. */
export function decodeState(state: string): FlagState {
  const { flag, rules, rollouts } = FlagState.decode(Buffer.from(state, 'latin1'))
  if (flag === undefined) throw stateWithoutFlag()
  const { defaultVariant, ...others } = flag
  const found = flag.variants.find(({ id }) => id === defaultVariant?.id)
  return {
    flag: found === undefined ? others : { ...flag, defaultVariant: found },
    rules,
    rollouts,
  }
}

function stateWithoutFlag(): Error {
  return new Error('a state without its flag')
}

/** Without a copy where there is nothing to join, which is nearly always. */
function joined(keys: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return keys
  return keys.length === 0 ? others : [...keys, ...others]
}
