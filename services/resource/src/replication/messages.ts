import type { NamespaceChange } from '@svc/proto/resource/v1/watch'
import type { NamespaceDelta, SizedSegment, Tombstone } from './changes-since.store.ts'
import type { EncodedFlag } from './flag-states.ts'

/** What takes a copy of a namespace from one revision to another. */
export interface Content
  extends Pick<NamespaceDelta, 'namespaceKey' | 'fromRevision' | 'revision' | 'changedAtMs'> {
  readonly flags: Iterable<EncodedFlag>
  readonly segments: Iterable<SizedSegment>
  readonly tombstones: Iterable<Tombstone>
}

/** A message as it is until it is sent. */
export interface UnsentChange extends Omit<NamespaceChange, 'committedMsAgo'> {
  /** When the revision was stamped, in milliseconds since 1970; `null` when that is not known. */
  readonly changedAtMs: number | null
}

/** @param nowMs by the clock of the database */
export function toSent({ changedAtMs, ...change }: UnsentChange, nowMs: number): NamespaceChange {
  if (changedAtMs === null) return change
  return { ...change, committedMsAgo: Math.max(0, Math.round(nowMs - changedAtMs)) }
}

/**
 * A gateway decodes a message in one turn of its event loop: 256 KiB takes a millisecond or two. Only a
 * flag or segment that is larger itself takes more.
 */
const maxMessageBytes = 256 * 2 ** 10

/** Of each part in a message: what kind it is and how long. */
const bytesOfTag = 5

/** The messages that carry a change, one at least, all but the last with `more`. */
export function* toMessages(
  content: Content,
  maxBytes = maxMessageBytes,
): Generator<UnsentChange, void> {
  let message = emptyMessage(content)
  let bytes = 0
  for (const part of partsOf(content)) {
    if (bytes > 0 && bytes + part.bytes > maxBytes) {
      yield { ...message, more: true }
      message = emptyMessage(content)
      bytes = 0
    }
    part.addTo(message)
    bytes += part.bytes
  }
  yield message
}

function emptyMessage(content: Content): UnsentChange {
  const { namespaceKey, fromRevision, revision, changedAtMs } = content
  return {
    changedAtMs,
    namespaceKey,
    fromRevision,
    revision,
    deleted: false,
    flags: [],
    segments: [],
    deletedFlagKeys: [],
    deletedSegmentKeys: [],
    more: false,
  }
}

interface Part {
  readonly bytes: number
  addTo(message: UnsentChange): void
}

function* partsOf({ flags, segments, tombstones }: Content): Generator<Part> {
  for (const { state } of flags) {
    yield { bytes: state.length + bytesOfTag, addTo: (message) => message.flags.push(state) }
  }
  for (const { bytes, segment } of segments) {
    yield { bytes: bytes + bytesOfTag, addTo: (message) => message.segments.push(segment) }
  }
  for (const { kind, key } of tombstones) {
    yield {
      bytes: key.length + bytesOfTag,
      addTo: ({ deletedFlagKeys, deletedSegmentKeys }) =>
        (kind === 'flag' ? deletedFlagKeys : deletedSegmentKeys).push(key),
    }
  }
}
