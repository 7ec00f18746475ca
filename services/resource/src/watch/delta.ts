import type { NamespaceChange } from '@svc/proto/resource/v1/watch'

type Content = Pick<
  NamespaceChange,
  'flags' | 'segments' | 'deletedFlagKeys' | 'deletedSegmentKeys'
>

/** Something that has changed, and how much it takes at most. */
export type Part = Partial<Content> & { readonly bytes: number }

/** What takes a copy of a namespace from one revision to another. */
export interface Delta extends Omit<NamespaceChange, keyof Content | 'more'> {
  readonly parts: readonly Part[]
}

/** Far less than gRPC carries here; only a flag or segment that is larger itself takes more. */
const maxMessageBytes = 4 * 2 ** 20

/** The messages that carry a delta, all but the last with `more`; none when there is nothing new. */
export function toMessages(delta: Delta, maxBytes = maxMessageBytes): NamespaceChange[] {
  const { parts, ...head } = delta
  const isNews = head.deleted || head.fromRevision === 0 || head.revision !== head.fromRevision
  if (!isNews) return []
  const groups = group(parts, maxBytes)
  return groups.map((members, index) => ({
    ...head,
    flags: members.flatMap(({ flags = [] }) => flags),
    segments: members.flatMap(({ segments = [] }) => segments),
    deletedFlagKeys: members.flatMap(({ deletedFlagKeys = [] }) => deletedFlagKeys),
    deletedSegmentKeys: members.flatMap(({ deletedSegmentKeys = [] }) => deletedSegmentKeys),
    more: index < groups.length - 1,
  }))
}

/** At least one group, which may be empty. */
function group(parts: readonly Part[], maxBytes: number): Part[][] {
  let current: Part[] = []
  let bytes = 0
  const groups = [current]
  for (const part of parts) {
    if (current.length > 0 && bytes + part.bytes > maxBytes) {
      current = []
      bytes = 0
      groups.push(current)
    }
    current.push(part)
    bytes += part.bytes
  }
  return groups
}
