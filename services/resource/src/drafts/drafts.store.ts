import { randomUUID } from 'node:crypto'
import type { Queryable } from '@svc/database'
import { microseconds } from '../records/instants.ts'
import { onlyRow } from '../records/table.ts'
import type { StoredCaller } from './applications.store.ts'

/** How long a draft is kept, in hours. */
export const maxAgeHours = 24

export type StoredState = 'OPEN' | 'APPLYING' | 'APPLIED' | 'FAILED'

/** A draft without its operations. */
export interface StoredDraft {
  readonly id: string
  readonly namespaceKey: string
  readonly state: StoredState
  readonly manager: string
  readonly prune: boolean
  readonly takeOver: boolean
  readonly details: Readonly<Record<string, unknown>> | null
  readonly authorId: string
  /** In microseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number
  /** The numbers of its parts, in order. */
  readonly parts: readonly number[]
  readonly operationCount: number
  readonly bytes: number
  readonly applicationId: string
  /** The plan that it is applied by; empty for any. */
  readonly plan: string
  readonly revision: number
  readonly failure: string
  readonly failureReason: string
  /** Of the application that it belongs to; of none, nothing and 0. */
  readonly appliedBy: StoredCaller | null
  readonly draftCount: number
}

const columns = `
  d.id, d.namespace_key AS "namespaceKey", coalesce(a.state, 'OPEN') AS state, d.manager, d.prune,
  d.take_over AS "takeOver", d.details, d.author AS "authorId",
  ${microseconds('d.created_at')} AS "createdAt",
  ${microseconds(`d.created_at + interval '${maxAgeHours} hours'`)} AS "expiresAt",
  ARRAY(SELECT number FROM resource.draft_parts WHERE draft_id = d.id ORDER BY number) AS parts,
  d.operation_count AS "operationCount", d.bytes, coalesce(d.application_id, '') AS "applicationId",
  d.plan, d.revision, coalesce(a.failure, '') AS failure, coalesce(a.reason, '') AS "failureReason",
  a.caller AS "appliedBy", coalesce(a.draft_count, 0) AS "draftCount"`

const from = `
  resource.drafts AS d LEFT JOIN resource.draft_applications AS a ON a.id = d.application_id`

/** Until the sweep it is there, but not for callers. */
const isKept = `d.created_at > statement_timestamp() - interval '${maxAgeHours} hours'`

export async function findDraft(
  db: Queryable,
  namespaceKey: string,
  id: string,
): Promise<StoredDraft | undefined> {
  const [draft] = await db.query<StoredDraft>(
    `SELECT ${columns} FROM ${from} WHERE d.id = $1 AND d.namespace_key = $2 AND ${isKept}`,
    [id, namespaceKey],
  )
  return draft
}

/** The same, locked until the transaction ends: so its state stays what it is. */
export async function lockDraft(
  tx: Queryable,
  namespaceKey: string,
  id: string,
): Promise<StoredDraft | undefined> {
  await tx.query('SELECT FROM resource.drafts WHERE id = $1 FOR UPDATE', [id])
  // A statement of its own, so that it sees what was committed during the wait.
  return findDraft(tx, namespaceKey, id)
}

/** @param after where the page before ended, by time and id */
export function listDrafts(
  db: Queryable,
  namespaceKey: string,
  after: readonly [createdAt: number, id: string] | undefined,
  limit: number,
): Promise<StoredDraft[]> {
  return db.query<StoredDraft>(
    `SELECT ${columns} FROM ${from}
      WHERE d.namespace_key = $1 AND ${isKept}
        AND ($2::bigint IS NULL OR (${microseconds('d.created_at')}, d.id) < ($2, $3))
      ORDER BY ${microseconds('d.created_at')} DESC, d.id DESC LIMIT $4`,
    [namespaceKey, after?.[0] ?? null, after?.[1] ?? '', limit],
  )
}

/** The drafts that are left of an application: those of a namespace that was deleted are gone. */
export function listApplied(db: Queryable, applicationId: string): Promise<StoredDraft[]> {
  return db.query<StoredDraft>(
    `SELECT ${columns} FROM ${from} WHERE d.application_id = $1 ORDER BY d.namespace_key`,
    [applicationId],
  )
}

/** What a draft is created with. */
export type NewDraft = Pick<StoredDraft, 'namespaceKey' | 'manager' | 'prune' | 'takeOver'> & {
  readonly details: object | undefined
  readonly authorId: string
}

/** @returns its id, which cannot be guessed */
export async function insertDraft(tx: Queryable, draft: NewDraft): Promise<string> {
  const id = randomUUID()
  const { namespaceKey, authorId, manager, prune, takeOver, details } = draft
  await tx.query(
    `INSERT INTO resource.drafts (id, namespace_key, author, manager, prune, take_over, details)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [id, namespaceKey, authorId, manager, prune, takeOver, details && JSON.stringify(details)],
  )
  return id
}

export async function growDraft(
  tx: Queryable,
  id: string,
  more: { readonly operations: number; readonly bytes: number },
): Promise<void> {
  await tx.query(
    `UPDATE resource.drafts SET operation_count = operation_count + $2, bytes = bytes + $3
      WHERE id = $1`,
    [id, more.operations, more.bytes],
  )
}

/** Deletes a draft with all that is in it. */
export async function deleteDraft(tx: Queryable, id: string): Promise<void> {
  await Promise.all([
    tx.query('DELETE FROM resource.drafts WHERE id = $1', [id]),
    deleteParts(tx, id),
    tx.query('DELETE FROM resource.draft_operations WHERE draft_id = $1', [id]),
  ])
}

export async function deleteParts(tx: Queryable, id: string): Promise<void> {
  await tx.query('DELETE FROM resource.draft_parts WHERE draft_id = $1', [id])
}

/** Maximum operations of a portion. */
const portion = 1000

/** Deletes a portion of what a draft does. @returns whether there may be more */
export async function deleteSomeOperations(tx: Queryable, id: string): Promise<boolean> {
  const deleted = await tx.query(
    `DELETE FROM resource.draft_operations WHERE draft_id = $1 AND (kind, key) IN (
       SELECT kind, key FROM resource.draft_operations WHERE draft_id = $1 LIMIT ${portion})
     RETURNING part`,
    [id],
  )
  return deleted.length === portion
}

/** Maximum drafts of each kind that a sweep deletes. */
const maxSwept = 100

/** Selects the drafts that are to be dropped. */
const expired = `
  SELECT d.id FROM ${from} WHERE NOT ${isKept} AND a.state IS DISTINCT FROM 'APPLYING'`

export async function findExpired(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(`${expired} LIMIT $1`, [maxSwept])
  return rows.map(({ id }) => id)
}

/** Deletes a draft, and leaves what is in it, unless it is being applied since it was found. */
export async function deleteExpired(tx: Queryable, id: string): Promise<void> {
  await tx.query('SELECT FROM resource.drafts WHERE id = $1 FOR UPDATE', [id])
  // A statement of its own, so that it sees what was committed during the wait.
  await tx.query(`DELETE FROM resource.drafts WHERE id IN (${expired} AND d.id = $1)`, [id])
}

/** The drafts that are gone, as with their namespace, and of which something is left. */
export async function findLeft(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT DISTINCT draft_id AS id FROM resource.draft_parts AS p
      WHERE NOT EXISTS (SELECT FROM resource.drafts WHERE id = p.draft_id) LIMIT $1`,
    [maxSwept],
  )
  return rows.map(({ id }) => id)
}

/** The drafts that were applied, and still have their operations. */
export async function findApplied(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT d.id FROM ${from} WHERE a.state = 'APPLIED'
        AND EXISTS (SELECT FROM resource.draft_operations WHERE draft_id = d.id) LIMIT $1`,
    [maxSwept],
  )
  return rows.map(({ id }) => id)
}

/** Deletes applications that no draft belongs to any more. */
export async function deleteApplications(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM resource.draft_applications AS a
      WHERE state <> 'APPLYING' AND requested_at < statement_timestamp() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM resource.drafts WHERE application_id = a.id)`,
  )
}

/** What there is of drafts, in a namespace and in all. */
export interface Usage {
  /** Drafts of the namespace. */
  readonly kept: number
  /** Those of them that were not applied. */
  readonly open: number
  readonly openBytes: number
  readonly allOpen: number
  readonly allOpenBytes: number
}

/**
 * Sums up with the changes of this transaction, and lets no other do so before it has ended. Taken last, for
 * while it is held all writers of drafts wait.
 */
export async function lockUsage(tx: Queryable, namespaceKey: string): Promise<Usage> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('resource.drafts'))`)
  return onlyRow(
    await tx.query<Usage>(
      `SELECT count(*) FILTER (WHERE d.namespace_key = $1) AS kept,
              count(*) FILTER (WHERE d.namespace_key = $1 AND is_open) AS open,
              coalesce(sum(bytes) FILTER (WHERE d.namespace_key = $1 AND is_open), 0)::bigint
                AS "openBytes",
              count(*) FILTER (WHERE is_open) AS "allOpen",
              coalesce(sum(bytes) FILTER (WHERE is_open), 0)::bigint AS "allOpenBytes"
         FROM ${from} CROSS JOIN LATERAL (SELECT a.state IS DISTINCT FROM 'APPLIED') AS o (is_open)
        WHERE ${isKept}`,
      [namespaceKey],
    ),
  )
}
