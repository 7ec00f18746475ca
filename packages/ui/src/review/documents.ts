import type { FlagDocument, SegmentDocument } from '@svc/client/api'
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
export function saysTheSame(one: object, other: object): boolean {
  return isEqual(withoutIds(one), withoutIds(other))
}

/** A copy without ids and without what is nothing. */
export function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === 'id' ? undefined : member)))
}
