import { FlagSet } from '@svc/evaluation'
import type { Segment } from '@svc/proto/resource/v1/segments'
import { FlagState, type NamespaceChange } from '@svc/proto/resource/v1/watch'

/** What a change has touched. */
export interface Touched {
  /** It replaces everything that was held before. */
  readonly isWhole: boolean
  readonly flagKeys: readonly string[]
  readonly segmentKeys: readonly string[]
  readonly deletedFlagKeys: readonly string[]
  readonly deletedSegmentKeys: readonly string[]
}

/** One namespace as of a revision: compiled for evaluation, and as it was sent, for snapshots. */
export class NamespaceCopy {
  readonly key: string
  readonly flags = new FlagSet()
  #revision = 0
  /**
   * Encoded, a character for each byte: a text takes 16 bytes besides them, an array of bytes 200, and
   * a part of a received message would hold on to all of that message.
   */
  readonly #states = new Map<string, string>()
  readonly #segments = new Map<string, Segment>()

  constructor(key: string) {
    this.key = key
  }

  get revision(): number {
    return this.#revision
  }

  get segments(): ReadonlyMap<string, Segment> {
    return this.#segments
  }

  /** @returns a flag with all that is in it, made anew with each call */
  stateOf(flagKey: string): FlagState | undefined {
    const state = this.#states.get(flagKey)
    return state === undefined ? undefined : FlagState.decode(Buffer.from(state, 'latin1'))
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
    for (const key of deletedSegmentKeys) this.#segments.delete(key)
    for (const segment of segments) this.#segments.set(segment.key, segment)
    const flagKeys = states.map(({ flag }) => flag?.key ?? '')
    for (const [index, key] of flagKeys.entries()) {
      this.#states.set(key, encoded[index]?.toString('latin1') ?? '')
    }
    this.#revision = revision
    const isWhole = parts[0]?.fromRevision === 0
    const segmentKeys = segments.map(({ key }) => key)
    return { isWhole, flagKeys, segmentKeys, deletedFlagKeys, deletedSegmentKeys }
  }
}
