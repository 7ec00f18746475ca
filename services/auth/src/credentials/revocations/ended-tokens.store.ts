import type { Instant, Queryable } from '@svc/database'
import { isSession, toBytes, toTimestamp } from '../records/authentications.store.ts'

// The only place where tokens and their secrets are deleted or made to expire. What is changed here
// goes through `revoke`, so that everybody hears of it. Logins made from a token end with it: it is
// locked first, so that none is made meanwhile, and rows are locked in one order throughout.

/** A token that has been changed, and from when on which of its secrets are refused. */
export interface EndedToken {
  readonly id: string
  readonly tokenHashes: readonly Buffer[]
  readonly metadata: Readonly<Record<string, string>>
  readonly refusedFrom: Instant
}

interface Row extends Omit<EndedToken, 'tokenHashes'> {
  readonly tokenHash: Buffer
  /** The secret before this one, while it is still good. */
  readonly previousTokenHash: Buffer | null
}

const columns = `id, metadata, token_hash AS "tokenHash",
  CASE WHEN previous_expires_at > now() THEN previous_token_hash END AS "previousTokenHash"`

/** @returns the token first, if there is one, then what was made from it */
export async function deleteToken(tx: Queryable, id: string): Promise<EndedToken[]> {
  await tx.query('SELECT FROM auth.authentications WHERE id = $1 FOR UPDATE', [id])
  const made = await tx.query<{ id: string }>(
    'SELECT id FROM auth.authentications WHERE parent_id = $1 ORDER BY id FOR UPDATE',
    [id],
  )
  return deleteRows(tx, [id, ...made.map((row) => row.id)])
}

/** Which logins are meant: all that there are, but for what is given here. */
export interface SessionFilter {
  readonly issuer?: string | undefined
  readonly subject?: string | undefined
  /** Made with this static token. */
  readonly parentId?: string | undefined
  readonly id?: string | undefined
}

/** How a {@link SessionFilter} becomes a condition on four parameters; see {@link filterValues}. */
export const matchesFilter = `${isSession}
  AND ($1::text IS NULL OR issuer = $1) AND ($2::text IS NULL OR subject = $2)
  AND ($3::text IS NULL OR parent_id = $3) AND ($4::text IS NULL OR id = $4)`

export function filterValues(filter: SessionFilter): (string | null)[] {
  const { issuer, subject, parentId, id } = filter
  return [issuer, subject, parentId, id].map((value) => value ?? null)
}

/** Deletes some of the logins that a filter matches. */
export async function deleteSessions(
  tx: Queryable,
  filter: SessionFilter,
  limit: number,
): Promise<EndedToken[]> {
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM auth.authentications WHERE ${matchesFilter} ORDER BY id LIMIT $5 FOR UPDATE`,
    [...filterValues(filter), limit],
  )
  return deleteRows(
    tx,
    rows.map((row) => row.id),
  )
}

/**
 * @param expiresAt now when left out
 * @returns the token first, then what was made from it; nothing when there is no such token, or it
 *   expires before that anyway
 */
export async function shortenToken(
  tx: Queryable,
  id: string,
  expiresAt: Instant | undefined,
): Promise<EndedToken[]> {
  const rows = await tx.query<Row>(
    `UPDATE auth.authentications
        SET expires_at = coalesce($2, now()), updated_at = clock_timestamp()
      WHERE id = $1 AND (expires_at IS NULL OR expires_at >= coalesce($2, now()))
      RETURNING ${columns}, expires_at AS "refusedFrom"`,
    [id, expiresAt === undefined ? null : toTimestamp(expiresAt)],
  )
  const [ended] = rows.map(toEnded)
  if (ended === undefined) return []
  return [ended, ...(await shortenMade(tx, id, ended.refusedFrom))]
}

/**
 * Gives a static token another secret. The one it has is good for `overlapMs` more, and so is what
 * was made with it; one from before that is refused from now on.
 *
 * @returns nothing when there is no such token, or it has expired
 */
export async function replaceSecret(
  tx: Queryable,
  id: string,
  tokenHash: string,
  overlapMs: number,
): Promise<EndedToken[]> {
  const [row] = await tx.query<Row & { now: Instant; deadline: Instant }>(
    `SELECT ${columns}, now() AS "now",
            least(now() + $2 * interval '1 millisecond', expires_at) AS "deadline"
       FROM auth.authentications
      WHERE id = $1 AND method = 'METHOD_TOKEN' AND parent_id IS NULL
        AND (expires_at IS NULL OR expires_at > now())
      FOR UPDATE`,
    [id, overlapMs],
  )
  if (row === undefined) return []
  const { tokenHash: present, previousTokenHash, now, deadline, metadata } = row
  const keepsPresent = overlapMs > 0
  await tx.query(
    `UPDATE auth.authentications
        SET token_hash = $2, previous_token_hash = $3, previous_expires_at = $4,
            updated_at = clock_timestamp()
      WHERE id = $1`,
    [
      id,
      toBytes(tokenHash),
      keepsPresent ? present : null,
      keepsPresent ? toTimestamp(deadline) : null,
    ],
  )
  const replaced = { id, metadata, tokenHashes: [present], refusedFrom: deadline }
  const earlier = previousTokenHash === null ? [] : [previousTokenHash]
  return [
    replaced,
    { id, metadata, tokenHashes: earlier, refusedFrom: now },
    ...(await shortenMade(tx, id, deadline)),
  ]
}

/** @returns whether no other process is cleaning up; none will be until the transaction ends */
export async function tryLockCleanup(tx: Queryable, method: string): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('auth.cleanup ' || $1, 0)) AS "isLocked"`,
    [method],
  )
  return row?.isLocked === true
}

/**
 * Deletes some of the tokens of a method that expired more than `gracePeriodMs` ago, by the clock
 * of the database. Nobody need be told: they have been refused everywhere since they expired, for
 * an expiry is never put off, and what was made from them expired no later.
 */
export async function deleteExpiredTokens(
  tx: Queryable,
  method: string,
  gracePeriodMs: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `DELETE FROM auth.authentications WHERE id IN (
       SELECT id FROM auth.authentications
        WHERE method = $1 AND expires_at < now() - $2 * interval '1 millisecond'
        LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [method, gracePeriodMs, limit],
  )
  return rows.length
}

/** Of rows that are locked; in the order of their creation, so that a token comes before its own. */
async function deleteRows(tx: Queryable, ids: readonly string[]): Promise<EndedToken[]> {
  const rows = await tx.query<Row & { position: number }>(
    `DELETE FROM auth.authentications WHERE id = ANY($1)
     RETURNING ${columns}, position, now() AS "refusedFrom"`,
    [ids],
  )
  return rows.toSorted((a, b) => a.position - b.position).map(toEnded)
}

async function shortenMade(tx: Queryable, id: string, expiresAt: Instant): Promise<EndedToken[]> {
  const rows = await tx.query<Row>(
    `WITH made AS (
       SELECT id FROM auth.authentications WHERE parent_id = $1 AND expires_at > $2
        ORDER BY id FOR UPDATE)
     UPDATE auth.authentications SET expires_at = $2, updated_at = clock_timestamp()
      WHERE id IN (SELECT id FROM made)
      RETURNING ${columns}, expires_at AS "refusedFrom"`,
    [id, toTimestamp(expiresAt)],
  )
  return rows.map(toEnded)
}

function toEnded({ id, metadata, tokenHash, previousTokenHash, refusedFrom }: Row): EndedToken {
  const tokenHashes = previousTokenHash === null ? [tokenHash] : [tokenHash, previousTokenHash]
  return { id, metadata, tokenHashes, refusedFrom }
}
