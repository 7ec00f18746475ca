import type { Change } from '@svc/client/api'
import type { DraftId } from '../data/drafts.ts'
import { type DocumentOf, type Kind, readLogged, saysTheSame } from './documents.ts'

/** What this tab has sent last of each object: by it a save is known whose answer was lost. */
const attempts = new Map<string, unknown>()

const nameOf = ({ namespaceKey, kind, key }: DraftId) => `${namespaceKey} ${kind} ${key}`

export function noteAttempt<K extends Kind>(
  id: DraftId & { readonly kind: K },
  document: DocumentOf[K],
): void {
  attempts.set(nameOf(id), document)
}

export function attemptOf<K extends Kind>(
  id: DraftId & { readonly kind: K },
): DocumentOf[K] | undefined {
  // What is kept under the name is of its kind.
  return attempts.get(nameOf(id)) as DocumentOf[K] | undefined
}

/** The change that made an object say what a document says, and what the object was then. */
export function findSaved<K extends Kind>(
  { kind, key }: DraftId & { readonly kind: K },
  changes: readonly Change[],
  document: DocumentOf[K],
): { readonly change: Change; readonly document: DocumentOf[K] } | undefined {
  for (const change of changes.toReversed()) {
    const name = kind === 'flag' ? 'FLAG_KIND' : 'SEGMENT_KIND'
    const item = change.items.find((one) => one.kind === name && one.key === key)
    const after = readLogged(kind, item?.after)
    if (after !== undefined && saysTheSame(kind, after, document))
      return { change, document: after }
  }
  return undefined
}
