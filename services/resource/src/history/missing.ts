import type { Queryable } from '@svc/database'
import { type AppError, notFound } from '@svc/runtime'
import { recordNotFound } from '../records/errors.ts'
import { onlyRow } from '../records/table.ts'

interface Log {
  /** Of the namespace; `null` when there is none. */
  readonly revision: number | null
  /** The change that was logged last; `null` when none was. */
  readonly head: number | null
  readonly started: number | null
  readonly pruned: number | null
}

/** @throws {AppError} when there is no such namespace, and there never was one with a log */
export async function checkKnown(tx: Queryable, namespaceKey: string): Promise<Log> {
  const log = onlyRow(
    await tx.query<Log>(
      `SELECT n.revision, c.revision AS head, c.started_revision AS started,
              c.pruned_revision AS pruned
         FROM (SELECT $1::text AS key) AS asked
         LEFT JOIN resource.namespaces AS n ON n.key = asked.key
         LEFT JOIN resource.chains AS c ON c.namespace_key = asked.key`,
      [namespaceKey],
    ),
  )
  if (log.revision === null && log.head === null) throw recordNotFound('namespace', namespaceKey)
  return log
}

/** The error of a change that is not there: it says why. */
export async function missingChange(
  tx: Queryable,
  namespaceKey: string,
  revision: number,
): Promise<AppError> {
  const { head, started, pruned, ...namespace } = await checkKnown(tx, namespaceKey)
  const subject = `revision ${revision} of namespace "${namespaceKey}"`
  if (revision <= (started ?? 0)) {
    return notFound('change', `${subject} is from before the log, which began after ${started}`)
  }
  if (revision <= (pruned ?? 0)) return notFound('change', `${subject} is not kept any more`)
  const isAfterHead = revision > (head ?? 0) && revision <= (namespace.revision ?? 0)
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
