import { randomUUID } from 'node:crypto'
import type { Caller } from '@svc/access'
import type { Queryable } from '@svc/database'

/**
 * The caller, and what its application failed for: in one column, for releases before 1.2.0 start on the schema of
 * their own alone.
 */
export interface StoredCaller extends Caller {
  /**
   * The namespace of the draft that failed; empty when it was none of them. Left out when that is not known, as
   * after a failure that a release before 1.2.0 has noted.
   */
  readonly failedNamespaceKey?: string | undefined
}

/** A request to apply drafts together. */
export interface Application {
  readonly id: string
  readonly caller: StoredCaller
  readonly address: string
  readonly requestId: string
  readonly comment: string
  readonly draftCount: number
}

/** For so long it is tried, in minutes: after an outage, and while the namespaces are busy. */
export const maxTryMinutes = 10

/** @returns its id */
export async function insertApplication(
  tx: Queryable,
  { caller, address, requestId, comment, draftCount }: Omit<Application, 'id'>,
): Promise<string> {
  const id = randomUUID()
  await tx.query(
    `INSERT INTO resource.draft_applications
            (id, caller, address, request_id, comment, draft_count)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, JSON.stringify(caller), address, requestId, comment, draftCount],
  )
  return id
}

/** @param drafts whose rows are locked */
export async function assignDrafts(
  tx: Queryable,
  applicationId: string,
  drafts: readonly { readonly id: string; readonly plan: string }[],
): Promise<void> {
  await tx.query(
    `UPDATE resource.drafts AS d SET application_id = $1, plan = asked.plan
       FROM unnest($2::text[], $3::text[]) AS asked (id, plan) WHERE d.id = asked.id`,
    [applicationId, drafts.map(({ id }) => id), drafts.map(({ plan }) => plan)],
  )
}

/** The number of drafts that are left of an application. */
export async function countDrafts(tx: Queryable, applicationId: string): Promise<number> {
  const drafts = 'SELECT FROM resource.drafts WHERE application_id = $1'
  return (await tx.query(drafts, [applicationId])).length
}

/**
 * The next application that is to be done, and that no process does.
 *
 * @param besides those that are left for later
 */
export async function findNext(
  db: Queryable,
  besides: readonly string[],
): Promise<(Application & { readonly isLate: boolean }) | undefined> {
  const [next] = await db.query<Application & { readonly isLate: boolean }>(
    `SELECT id, caller, address, request_id AS "requestId", comment, draft_count AS "draftCount",
            requested_at < statement_timestamp() - $2 * interval '1 minute' AS "isLate"
       FROM resource.draft_applications
      WHERE state = 'APPLYING' AND id <> ALL ($1::text[])
      ORDER BY requested_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [besides, maxTryMinutes],
  )
  return next
}

/** @returns whether it is to be done, and now this transaction's to do */
export async function lockApplication(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query(
    `SELECT FROM resource.draft_applications
      WHERE id = $1 AND state = 'APPLYING' FOR UPDATE SKIP LOCKED`,
    [id],
  )
  return rows.length > 0
}

export async function markApplied(
  tx: Queryable,
  applicationId: string,
  drafts: readonly { readonly id: string; readonly revision: number }[],
): Promise<void> {
  await Promise.all([
    tx.query(
      `UPDATE resource.drafts AS d SET revision = done.revision
         FROM unnest($1::text[], $2::bigint[]) AS done (id, revision) WHERE d.id = done.id`,
      [drafts.map(({ id }) => id), drafts.map(({ revision }) => revision)],
    ),
    tx.query(`UPDATE resource.draft_applications SET state = 'APPLIED' WHERE id = $1`, [
      applicationId,
    ]),
  ])
}

/** Why an application failed. */
export interface ApplicationFailure extends Pick<StoredCaller, 'failedNamespaceKey'> {
  readonly reason: string
  readonly message: string
}

/** Unless it was done, or is being done, in the meantime. */
export async function markFailed(
  db: Queryable,
  { id, caller }: Pick<Application, 'id' | 'caller'>,
  { reason, message, failedNamespaceKey }: ApplicationFailure,
): Promise<void> {
  await db.query(
    `UPDATE resource.draft_applications SET state = 'FAILED', reason = $2, failure = $3, caller = $4
      WHERE id = (SELECT id FROM resource.draft_applications
                   WHERE id = $1 AND state = 'APPLYING' FOR UPDATE SKIP LOCKED)`,
    [id, reason, message, JSON.stringify({ ...caller, failedNamespaceKey })],
  )
}
