import type { FieldChange } from '@svc/proto/resource/v1/documents'

/** The members of a document that changes are in: `rules` of `rules[0].segments`. */
export function changedMembers(changes: readonly FieldChange[]): ReadonlySet<string> {
  return new Set(changes.map(({ path }) => path.split(/[.[]/, 1)[0] ?? ''))
}
