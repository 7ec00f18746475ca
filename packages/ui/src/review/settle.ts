import { adoptIds, type DocumentOf as Documents } from '@svc/documents'
import { attemptOf, findSaved } from './attempts.ts'
import { type DocumentOf, type Kind, saysTheSame } from './documents.ts'
import type { ReviewedId, StoredNow } from './save.ts'

/** What a draft is to what the service has. */
export type Standing<K extends Kind> =
  /** Nothing has happened to it: the draft can be saved. */
  | { readonly kind: 'current' }
  /** This tab has saved what the draft says; others may have changed it again since. */
  | { readonly kind: 'saved'; readonly revision: number | undefined }
  /** Others have made it say what the draft says. */
  | { readonly kind: 'same' }
  | { readonly kind: 'deleted' }
  /** @property base what both have begun from, @property mine the draft on it */
  | { readonly kind: 'conflict'; readonly base: DocumentOf[K]; readonly mine: DocumentOf[K] }

interface Drafted<K extends Kind> {
  readonly base: DocumentOf[K]
  readonly etag: string | undefined
  readonly present: DocumentOf[K]
}

/** Compares a draft with what the service has now. */
export function standingOf<K extends Kind>(
  id: ReviewedId<K>,
  { base, etag, present }: Drafted<K>,
  stored: StoredNow<K>,
): Standing<K> {
  const { kind } = id
  const { document, changes } = stored
  if (document === undefined) return { kind: 'deleted' }
  if (stored.etag === etag) return { kind: 'current' }
  // A save of this tab whose answer was lost; the draft may have gone on from it.
  const sent = attemptOf(id, etag)
  const own = sent && findSaved(id, changes, sent)
  const isSent = sent !== undefined && saysTheSame(kind, sent, present)
  if (saysTheSame(kind, document, present))
    return isSent
      ? { kind: 'saved', revision: own?.change.revision ?? stored.revision }
      : { kind: 'same' }
  if (own === undefined) return { kind: 'conflict', base, mine: present }
  if (isSent) return { kind: 'saved', revision: own.change.revision }
  const mine = adoptIds(kind, own.document as Documents[K], present as Documents[K])
  return { kind: 'conflict', base: own.document, mine: mine as unknown as DocumentOf[K] }
}
