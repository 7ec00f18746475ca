import type { Instant, Queryable } from '@svc/database'
import type { DocumentOf } from '@svc/documents'
import { readDocuments } from '../documents/documents.store.ts'
import { recordNotFound } from '../records/errors.ts'
import { microseconds, type RowTimes, toInstant } from '../records/instants.ts'

/** A flag or segment as it is stored. */
export interface Stored<K extends 'flag' | 'segment'> {
  readonly document: DocumentOf[K]
  readonly managedBy: string
  readonly revision: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/**
 * @param tx in which both statements see the same
 * @throws {AppError} `not_found`
 */
export async function readStored<K extends 'flag' | 'segment'>(
  tx: Queryable,
  namespaceKey: string,
  kind: K,
  key: string,
): Promise<Stored<K>> {
  const [[stored], [row]] = await Promise.all([
    readDocuments(tx, namespaceKey, kind, [key]),
    tx.query<RowTimes & { readonly managedBy: string }>(
      `SELECT managed_by AS "managedBy", ${microseconds('created_at')} AS "createdAt",
              ${microseconds('updated_at')} AS "updatedAt"
         FROM resource.${kind}s WHERE namespace_key = $1 AND key = $2`,
      [namespaceKey, key],
      { isRead: true },
    ),
  ])
  if (stored === undefined || row === undefined) throw recordNotFound(kind, namespaceKey, key)
  return {
    ...{ document: stored.document, revision: stored.revision, managedBy: row.managedBy },
    createdAt: toInstant(row.createdAt),
    updatedAt: toInstant(row.updatedAt),
  }
}
