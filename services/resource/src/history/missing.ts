import type { Queryable } from '@svc/database'
import { type AppError, notFound } from '@svc/runtime'
import { recordNotFound } from '../records/errors.ts'
import { type ChainState, readChain } from './chain.store.ts'

/** @throws {AppError} when there is no such namespace, and there never was one with a log */
export async function checkKnown(tx: Queryable, namespaceKey: string): Promise<ChainState> {
  const chain = await readChain(tx, namespaceKey)
  if (chain.namespaceRevision !== null || chain.headRevision !== null) return chain
  throw recordNotFound('namespace', namespaceKey)
}

/** The error of a change that is not there: it says why. */
export async function missingChange(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<AppError> {
  const { headRevision, namespaceRevision, startedRevision, prunedRevision } = await checkKnown(
    tx,
    namespaceKey,
  )
  const subject = `revision ${revision} of namespace "${namespaceKey}"`
  if (revision <= startedRevision) {
    const began = `which began after ${startedRevision}`
    return notFound('change', `${subject} is from before the log, ${began}`)
  }
  if (revision <= prunedRevision) return notKept(subject)
  const isAfterHead = revision > (headRevision ?? 0) && revision <= (namespaceRevision ?? 0)
  if (isAfterHead || (await isInGap(tx, namespaceKey, revision))) {
    return notFound('change', `revision ${revision} was written without the log`)
  }
  return recordNotFound('change', namespaceKey, revision)
}

/** Whether the change after a revision says that it was written without the log. */
async function isInGap(tx: Queryable, namespaceKey: string, revision: number): Promise<boolean> {
  const [next] = await tx.query<{ from: number | null; to: number | null }>(
    `SELECT (details->'gap'->>'from')::bigint AS from, (details->'gap'->>'to')::bigint AS to
       FROM resource.changes WHERE namespace_key = $1 AND revision > $2
      ORDER BY revision LIMIT 1`,
    [namespaceKey, revision],
  )
  return next?.from != null && next.to !== null && next.from < revision && revision <= next.to
}

/** The error of what retention has deleted. @param subject what it was */
export function notKept(subject: string): AppError {
  return notFound('change', `${subject} is not kept any more: changes.retention has deleted it`)
}
