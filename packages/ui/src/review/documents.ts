import type { FlagDocument, SegmentDocument } from '@svc/client/api'
import { canonicalText, type DocumentOf as Documents, readDocument } from '@svc/documents'
import { isEqual } from '../data/draft.ts'

/** What there are drafts of, by the name of its kind. */
export interface DocumentOf {
  readonly flag: FlagDocument
  readonly segment: SegmentDocument
}

export type Kind = keyof DocumentOf

/** Something with a place in a list of a document. New ones have no id, or one of their own that the service replaces. */
export interface Element {
  readonly id: string
}

/** What two elements are the same by: variants by their key, which rules name; the others by their id. */
export function nameOf(element: Element): string {
  return 'attachment' in element && 'key' in element ? `key ${element.key}` : element.id
}

/** Whether two documents say the same. What was new in one has an id of the service in the other. */
export function saysTheSame<K extends Kind>(
  kind: K,
  one: DocumentOf[K],
  other: DocumentOf[K],
): boolean {
  const [a, b] = [contentOf(kind, one), contentOf(kind, other)]
  return isEqual(a.metadata, b.metadata) && isEqual(a.rest, b.rest)
}

/** As the service keeps it, for numbers have 32 bits there. Metadata may have members of any name. */
function contentOf<K extends Kind>(kind: K, document: DocumentOf[K]) {
  const { metadata, ...rest } = JSON.parse(canonicalText(kind, document as Documents[K]))
  return { metadata, rest: withoutIds(rest) }
}

/** A document of the change log; nothing when it is none. */
export function readLogged<K extends Kind>(
  kind: K,
  text: string | undefined,
): DocumentOf[K] | undefined {
  try {
    return text === undefined ? undefined : (readDocument(kind, text) as unknown as DocumentOf[K])
  } catch {
    return undefined
  }
}

/** A copy of what has no metadata, without ids. */
export function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === 'id' ? undefined : member)))
}
