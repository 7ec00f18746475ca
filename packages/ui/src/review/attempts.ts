import type { Change } from '@svc/client/api'
import type { DraftId } from '../data/drafts.ts'
import { type DocumentOf, type Kind, readLogged, saysTheSame } from './documents.ts'

/** What was sent, and the tag of what it was made from. */
interface Attempt {
  readonly document: unknown
  readonly etag: string | undefined
}

/** What this tab has sent last of each object: by it a save is known whose answer was lost. */
const attempts = new Map<string, Attempt>()

/** Kept in the session storage, too, as drafts are: they survive a reload. */
const prefix = 'svc.sent '

const nameOf = ({ namespaceKey, kind, key }: DraftId) => `${prefix}${namespaceKey} ${kind} ${key}`

/** @returns what takes it back, once the service has refused it: then the one before it is the last again */
export function noteAttempt<K extends Kind>(
  id: DraftId & { readonly kind: K },
  document: DocumentOf[K],
  etag: string | undefined,
): () => void {
  const name = nameOf(id)
  const previous = read(name)
  keep(name, { document, etag })
  return () => keep(name, previous)
}

/** After a save was settled. */
export function forgetAttempt(id: DraftId): void {
  keep(nameOf(id), undefined)
}

/** @param etag of what a draft was made from: what was made from another version is not of this draft */
export function attemptOf<K extends Kind>(
  id: DraftId & { readonly kind: K },
  etag: string | undefined,
): DocumentOf[K] | undefined {
  const attempt = read(nameOf(id))
  // What is kept under the name is of its kind.
  return attempt?.etag === etag ? (attempt?.document as DocumentOf[K] | undefined) : undefined
}

/**
 * The change by which a document was saved that was sent, and what the object was then. The service takes it
 * only as the first change after the version that it was made from.
 *
 * @param changes of the object since that version, the oldest first
 */
export function findSaved<K extends Kind>(
  { kind, key }: DraftId & { readonly kind: K },
  [change]: readonly Change[],
  document: DocumentOf[K],
): { readonly change: Change; readonly document: DocumentOf[K] } | undefined {
  const name = kind === 'flag' ? 'FLAG_KIND' : 'SEGMENT_KIND'
  const item = change?.items.find((one) => one.kind === name && one.key === key)
  const after = readLogged(kind, item?.after)
  return change !== undefined && after !== undefined && saysTheSame(kind, after, document)
    ? { change, document: after }
    : undefined
}

function read(name: string): Attempt | undefined {
  const known = attempts.get(name)
  if (known !== undefined) return known
  try {
    const stored: Attempt | null = JSON.parse(sessionStorage.getItem(name) ?? 'null')
    return stored ?? undefined
  } catch {
    return undefined
  }
}

function keep(name: string, attempt: Attempt | undefined): void {
  if (attempt === undefined) attempts.delete(name)
  else attempts.set(name, attempt)
  try {
    if (attempt === undefined) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(attempt))
  } catch {
    // A browser may keep nothing: then it holds until the page is left.
  }
}
