import type { Queryable } from '@svc/database'
import { readDocument } from '@svc/documents'
import type { NamespaceSettings } from '@svc/proto/resource/v1/documents'
import { notFound } from '@svc/runtime'
import { readDocuments } from '../documents/documents.store.ts'
import { checkKnown, notKept } from '../history/missing.ts'
import { recordNotFound } from '../records/errors.ts'
import { findGap, readPastSettings } from './past.store.ts'

/**
 * The revision of a state that is asked for.
 *
 * @param wanted nothing for the present one
 * @throws {AppError} `not_found` when there is no such namespace, or the log does not reach back to it
 */
export async function findRevision(
  tx: Queryable,
  namespaceKey: string,
  wanted: number | undefined,
): Promise<number> {
  const known = await checkKnown(tx, namespaceKey)
  const { namespaceRevision: present, headRevision: head } = known
  if (wanted === undefined || wanted === present) {
    if (present === null) throw recordNotFound('namespace', namespaceKey)
    return present
  }
  const title = `revision ${wanted} of namespace "${namespaceKey}"`
  const last = present ?? head ?? 0
  if (wanted > last) throw notFound('change', `${title} is not there yet`)
  if (wanted < known.startedRevision) throw notFound('change', `${title} is from before the log`)
  if (wanted < known.prunedRevision) throw notKept(title)
  const unlogged = last > (head ?? 0) ? last : undefined
  const gap = unlogged ?? (await findGap(tx, namespaceKey, wanted))
  if (gap === undefined) return wanted
  throw notFound('change', `${title} is not known: revision ${gap} was written without the log`)
}

/** @throws {AppError} when there was no such namespace at that revision */
export async function readSettings(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<NamespaceSettings> {
  const text = await readPastSettings(tx, namespaceKey, revision)
  if (typeof text === 'string') return readDocument('namespace', text)
  const [stored] =
    text === null ? [] : await readDocuments(tx, namespaceKey, 'namespace', [namespaceKey])
  if (stored !== undefined) return stored.document
  throw notFound('change', `namespace "${namespaceKey}" did not exist at revision ${revision}`)
}
