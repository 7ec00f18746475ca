import type { CallOptions, Change } from '@svc/client/api'
import { api } from '../data/api.ts'
import type { DraftId } from '../data/drafts.ts'
import { failureOf, isConflict, isRefused, isUnsettled } from '../data/errors.ts'
import { write } from '../data/writes.ts'
import { forgetAttempt, noteAttempt } from './attempts.ts'
import type { DocumentOf, Kind } from './documents.ts'

/** What there is a draft of. */
export interface ReviewedId<K extends Kind> extends DraftId {
  readonly kind: K
}

/** What has become of a save. */
export type Outcome<K extends Kind> =
  | {
      readonly kind: 'saved'
      readonly document: DocumentOf[K]
      readonly etag: string | undefined
      readonly revision: number | undefined
    }
  /** Others have changed or deleted it since the draft was begun. */
  | { readonly kind: 'conflict' }
  /** The answer did not come: it may be saved or not. */
  | { readonly kind: 'unsettled' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Saves a draft as one change, in one request, which is never repeated by itself. */
export async function saveDraft<K extends Kind>(
  id: ReviewedId<K>,
  document: DocumentOf[K],
  etag: string | undefined,
  comment: string,
): Promise<Outcome<K>> {
  const takeBack = noteAttempt(id, document, etag)
  try {
    const { value, ...written } = await write(id.namespaceKey, (options) =>
      put(id, document, { ...options, ifMatch: etag, ...(comment !== '' && { comment }) }),
    )
    forgetAttempt(id)
    return { kind: 'saved', document: value, ...written }
  } catch (error) {
    if (isRefused(error)) takeBack()
    if (isConflict(error)) return { kind: 'conflict' }
    if (isUnsettled(error)) return { kind: 'unsettled' }
    const { kind, message } = failureOf(error)
    return kind === 'signed-out' ? { kind } : { kind: 'refused', reason: message }
  }
}

async function put<K extends Kind>(
  { namespaceKey, kind, key }: ReviewedId<K>,
  document: DocumentOf[K],
  options: CallOptions,
): Promise<DocumentOf[K]> {
  // The kind says which of the two it is.
  if (kind === 'segment') {
    const segment = document as DocumentOf['segment']
    const stored = await api.documents.putSegment({ namespaceKey, key, segment }, options)
    return stored.segment as DocumentOf[K]
  }
  const flag = document as DocumentOf['flag']
  return (await api.documents.putFlag({ namespaceKey, key, flag }, options)).flag as DocumentOf[K]
}

/** An object as the service has it, and how it came to be so. */
export interface StoredNow<K extends Kind> {
  /** Nothing when it was deleted. */
  readonly document: DocumentOf[K] | undefined
  readonly etag: string | undefined
  readonly revision: number | undefined
  /** The changes since a draft was begun, the oldest first. Empty also when the log may not be read. */
  readonly changes: readonly Change[]
}

/** Changes that are looked at. */
const maxChanges = 100

/** Reads an object anew, with what was done to it since it had a tag. */
export async function readStored<K extends Kind>(
  { namespaceKey, kind, key }: ReviewedId<K>,
  since: string | undefined,
): Promise<StoredNow<K>> {
  let etag: string | undefined
  const options = {
    onAnswer: (answer: { readonly etag: string | undefined }) => {
      etag = answer.etag
    },
  }
  const read = async () => {
    try {
      const request = { namespaceKey, key }
      if (kind === 'flag') {
        const { flag, revision } = await api.documents.getFlag(request, options)
        return { document: flag as DocumentOf[K], revision }
      }
      const { segment, revision } = await api.documents.getSegment(request, options)
      return { document: segment as DocumentOf[K], revision }
    } catch (error) {
      if (failureOf(error).kind !== 'missing') throw error
      return { document: undefined, revision: undefined }
    }
  }
  const stored = await read()
  const after = revisionOf(since)
  if (after === undefined || (stored.revision === after && stored.document !== undefined))
    return { ...stored, etag, changes: [] }
  const changes = await api.changes
    .list({
      namespaceKey,
      kind: kind === 'flag' ? 'FLAG_KIND' : 'SEGMENT_KIND',
      key,
      after,
      documents: true,
      limit: maxChanges,
    })
    .then(
      (list) => list.changes,
      // Not all who may change it may read the log. Then it is not known who it was.
      (error: unknown) => {
        if (failureOf(error).kind === 'forbidden') return []
        throw error
      },
    )
  return { ...stored, etag, changes }
}

/** Whether a tag is of a later revision than another. */
export function isLater(tag: string | undefined, other: string | undefined): boolean {
  const [revision, known] = [revisionOf(tag), revisionOf(other)]
  return tag !== other && (revision === undefined || known === undefined || revision > known)
}

/** The revision in a tag such as `"shop:42"`. */
function revisionOf(etag: string | undefined): number | undefined {
  const [, digits] = /:(\d+)"?$/.exec(etag ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
