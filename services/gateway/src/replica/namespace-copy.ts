import { FlagSet } from '@svc/evaluation'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, type NamespaceChange } from '@svc/proto/resource/v1/watch'
import { ChangeLog } from './change-log.ts'

/** What a change has touched. */
export interface Touched {
  /** It replaces everything that was held before. */
  readonly isWhole: boolean
  readonly flagKeys: readonly string[]
  readonly segmentKeys: readonly string[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

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

/** One namespace as of a revision: compiled for evaluation, and as it was sent, for snapshots. */
export class NamespaceCopy {
  readonly key: string
  /** Tells it from a copy that comes in its place. */
  readonly id = Symbol()
  readonly flags = new FlagSet()
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
  apply(parts: readonly NamespaceChange[], revision: number): Touched {
    const encoded = parts.flatMap(({ flags }) => flags)
    const states = encoded.map((bytes) => FlagState.decode(bytes))
    const segments = parts.flatMap((part) => part.segments)
    const deletedFlagKeys = parts.flatMap((part) => part.deletedFlagKeys)
    const deletedSegmentKeys = parts.flatMap((part) => part.deletedSegmentKeys)
    this.flags.apply({
      flags: states.flatMap(({ flag, rules, rollouts }) =>
        flag === undefined ? [] : { ...flag, rules, rollouts },
      ),
      segments,
      deletedFlagKeys,
      deletedSegmentKeys,
    })
    for (const key of deletedFlagKeys) this.#states.delete(key)
    const flagKeys = states.map(({ flag }) => flag?.key ?? '')
    for (const [index, key] of flagKeys.entries()) {
      this.#states.set(key, encoded[index]?.toString('latin1') ?? '')
    }
    this.#replaceSegments(segments, deletedSegmentKeys)
    const isWhole = parts[0]?.fromRevision === 0
    const segmentKeys = segments.map(({ key }) => key)
    const touched = { isWhole, flagKeys, segmentKeys, deletedFlagKeys, deletedSegmentKeys }
    this.#remember(touched, revision)
    this.#revision = revision
    return touched
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

  #remember(touched: Touched, revision: number): void {
    if (touched.isWhole) {
      this.#changes = new ChangeLog(revision)
      return
    }
    const entry = {
      revision,
      flagKeys: joined(touched.flagKeys, touched.deletedFlagKeys),
      segmentKeys: joined(touched.segmentKeys, touched.deletedSegmentKeys),
    }
    this.#changes.add(entry, Math.max(minRememberedChanges, this.flags.size / 2))
  }
}

export function decodeState(state: string): FlagState {
  return FlagState.decode(Buffer.from(state, 'latin1'))
}

/** Without a copy where there is nothing to join, which is nearly always. */
function joined(keys: readonly string[], others: readonly string[]): readonly string[] {
  if (others.length === 0) return keys
  return keys.length === 0 ? others : [...keys, ...others]
}
