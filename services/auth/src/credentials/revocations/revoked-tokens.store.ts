import type { Instant, Queryable } from '@svc/database'
import { isSession, isStorable } from '../records/authentications.store.ts'
import { toTimestamp } from '../records/instants.ts'
import { type Hash, toBytes } from '../records/token.ts'

// The only place where tokens and their secrets are deleted or made to expire. Every change goes
// through `revoke`, so that all processes are notified. Sessions made from a token end with it, and tokens of
// the command line with their session. What others are made of is locked first, so that none is made
// meanwhile, and rows are locked in one order throughout: that of `lockOrder`.

/** A token that was changed: which of its secrets are refused, and from when. */
export interface RevokedToken {
  readonly id: string
  readonly tokenHashes: readonly Buffer[]
  readonly metadata: Readonly<Record<string, string>>
  readonly validUntil: Instant
  /** Whether it is the session of a browser. */
  readonly isSession: boolean
  /** Whether the command line got it from a session. */
  readonly isCli: boolean
}

/** The previous secret counts while it is still valid. */
const columns = `id, metadata, ${isSession} AS "isSession",
  parent_id IS NOT NULL AND is_session IS false AS "isCli", array_remove(ARRAY[token_hash,
  CASE WHEN previous_expires_at > now() THEN previous_token_hash END], NULL) AS "tokenHashes"`

/** @returns the token first, if it exists, then what was made of it */
export async function deleteToken(tx: Queryable, id: string): Promise<RevokedToken[]> {
  if (!isStorable(id)) return []
  await tx.query('SELECT FROM auth.authentications WHERE id = $1 FOR UPDATE', [id])
  return deleteRows(tx, [id, ...(await lockMade(tx, [id]))])
}

/** @returns the ids of what was made of these, and of what was made of that */
async function lockMade(tx: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<{ id: string }>(
    'SELECT id FROM auth.authentications WHERE parent_id = ANY($1) ORDER BY id FOR UPDATE',
    [ids],
  )
  const made = rows.map(({ id }) => id)
  return [...made, ...(await lockMade(tx, made))]
}

/** Selects sessions: all of them, restricted by what is given. */
export interface SessionFilter {
  readonly issuer?: string | undefined
  readonly subject?: string | undefined
  /** Made with this static token. */
  readonly parentId?: string | undefined
  readonly id?: string | undefined
}

/** The condition of a {@link SessionFilter}, with four parameters; see {@link filterValues}. */
export const matchesFilter = `${isSession}
  AND ($1::text IS NULL OR issuer = $1) AND ($2::text IS NULL OR subject = $2)
  AND ($3::text IS NULL OR parent_id = $3) AND ($4::text IS NULL OR id = $4)`

/** @returns `undefined` when no session can match */
export function filterValues(filter: SessionFilter): (string | null)[] | undefined {
  const { issuer, subject, parentId, id } = filter
  const values = [issuer, subject, parentId, id].map((value) => value ?? null)
  return values.every((value) => value === null || isStorable(value)) ? values : undefined
}

/** Deletes up to `limit` sessions that a filter matches, and what was made of them. */
export async function deleteSessions(
  tx: Queryable,
  filter: SessionFilter,
  limit: number,
): Promise<RevokedToken[]> {
  const values = filterValues(filter)
  if (values === undefined) return []
  const rows = await tx.query<{ id: string }>(
    `SELECT id FROM auth.authentications WHERE ${matchesFilter} ORDER BY id LIMIT $5 FOR UPDATE`,
    [...values, limit],
  )
  const ids = rows.map(({ id }) => id)
  return deleteRows(tx, [...ids, ...(await lockMade(tx, ids))])
}

/**
 * @param expiresAt now when left out
 * @returns the token first, then its sessions; nothing when there is no such token, or it expires
 *   earlier anyway
 */
export async function shortenToken(
  tx: Queryable,
  id: string,
  expiresAt: Instant | undefined,
): Promise<RevokedToken[]> {
  const [token] = await tx.query<RevokedToken>(
    `UPDATE auth.authentications
        SET expires_at = coalesce($2, now()), updated_at = clock_timestamp()
      WHERE id = $1 AND (expires_at IS NULL OR expires_at >= coalesce($2, now()))
      RETURNING ${columns}, expires_at AS "validUntil"`,
    [id, expiresAt === undefined ? null : toTimestamp(expiresAt)],
  )
  if (token === undefined) return []
  return [token, ...(await shortenMade(tx, [id]))]
}

/**
 * Gives a static token another secret. The present one stays valid for `overlapMs`, and so do the
 * sessions made with it; the previous one and its sessions are refused from now on.
 *
 * @returns nothing when there is no such token, or it has expired
 */
export async function replaceSecret(
  tx: Queryable,
  id: string,
  tokenHash: Hash,
  overlapMs: number,
): Promise<RevokedToken[]> {
  if (!isStorable(id)) return []
  const [row] = await tx.query<RevokedToken & { deadline: Instant; previousUntil: Instant | null }>(
    `SELECT ${columns}, now() AS "validUntil",
            CASE WHEN previous_expires_at > now() THEN previous_expires_at END AS "previousUntil",
            least(now() + $2 * interval '1 millisecond', expires_at) AS "deadline"
       FROM auth.authentications
      WHERE id = $1 AND method = 'METHOD_TOKEN' AND parent_id IS NULL
        AND (expires_at IS NULL OR expires_at > now())
      FOR UPDATE`,
    [id, overlapMs],
  )
  if (row === undefined) return []
  const { tokenHashes, validUntil, deadline, previousUntil, metadata } = row
  const [present, ...earlier] = tokenHashes
  const previous = overlapMs > 0 ? [present, toTimestamp(deadline)] : [null, null]
  await tx.query(
    `UPDATE auth.authentications
        SET token_hash = $2, previous_token_hash = $3, previous_expires_at = $4,
            updated_at = clock_timestamp()
      WHERE id = $1`,
    [id, toBytes(tokenHash), ...previous],
  )
  const token = { id, metadata, isSession: false, isCli: false }
  return [
    { ...token, tokenHashes: tokenHashes.slice(0, 1), validUntil: deadline },
    { ...token, tokenHashes: earlier, validUntil },
    ...(await shortenMade(tx, [id], { deadline, previousUntil })),
  ]
}

/**
 * Deletes up to `limit` tokens of a method that expired more than `gracePeriodMs` ago, by the clock of
 * the database; none while another process does. No revocation is needed: an expiry is never postponed,
 * so every process refuses them, and their sessions expired no later.
 */
export async function deleteExpiredTokens(
  db: Queryable,
  method: string,
  gracePeriodMs: number,
  limit: number,
): Promise<number> {
  const rows = await db.query(
    `WITH cleanup AS MATERIALIZED (
       SELECT pg_try_advisory_xact_lock(hashtextextended('auth.cleanup ' || $1, 0)) AS is_locked)
     DELETE FROM auth.authentications WHERE id IN (
       SELECT id FROM auth.authentications AS a, cleanup
        WHERE is_locked AND method = $1 AND expires_at < now() - $2 * interval '1 millisecond'
        LIMIT $3 FOR UPDATE OF a SKIP LOCKED)
     RETURNING id`,
    [method, gracePeriodMs, limit],
  )
  return rows.length
}

/**
 * Deletes the record that has a secret, if it has expired, so that the same value can be another token.
 *
 * @returns whether there was one. Caches may still have it: its revocation is to be recorded.
 */
export async function deleteExpiredSecret(tx: Queryable, tokenHash: Hash): Promise<boolean> {
  const rows = await tx.query(
    `DELETE FROM auth.authentications
      WHERE (token_hash = $1 OR previous_token_hash = $1) AND expires_at <= now()
     RETURNING id`,
    [toBytes(tokenHash)],
  )
  return rows.length > 0
}

/** Deletes locked rows. In the order of creation: a token comes before its sessions. */
async function deleteRows(tx: Queryable, ids: readonly string[]): Promise<RevokedToken[]> {
  const rows = await tx.query<RevokedToken & { position: number }>(
    `DELETE FROM auth.authentications WHERE id = ANY($1)
     RETURNING ${columns}, position, now() AS "validUntil"`,
    [ids],
  )
  return rows.toSorted((a, b) => a.position - b.position)
}

interface Replaced {
  /** Until when the secret is good that was the present one. */
  readonly deadline: Instant
  /** Until when the secret before that one was to be good, if there is one. */
  readonly previousUntil: Instant | null
}

/**
 * What was made of these, and of that. It never ends later than what it was made of.
 *
 * @param replaced when these are a token that gets another secret. A session does not say with which secret it
 *   was begun. Those of the earlier one end no later than that: what does, ends now.
 */
async function shortenMade(
  tx: Queryable,
  ids: readonly string[],
  replaced?: Replaced,
): Promise<RevokedToken[]> {
  if (ids.length === 0) return []
  const made = await tx.query<RevokedToken>(
    `WITH made AS (
       SELECT made.id AS made_id, ends_at
         FROM auth.authentications AS made
         JOIN auth.authentications AS parent ON parent.id = made.parent_id
         CROSS JOIN LATERAL (
                SELECT CASE WHEN made.expires_at <= $3 THEN now()
                            ELSE coalesce($2::timestamptz, parent.expires_at) END AS ends_at) AS new
        WHERE made.parent_id = ANY($1) AND made.expires_at > ends_at
        ORDER BY made.id FOR UPDATE OF made)
     UPDATE auth.authentications SET expires_at = ends_at, updated_at = clock_timestamp()
       FROM made WHERE id = made_id
      RETURNING ${columns}, expires_at AS "validUntil"`,
    [
      ids,
      ...[replaced?.deadline, replaced?.previousUntil].map((at) => (at ? toTimestamp(at) : null)),
    ],
  )
  const more = made.map(({ id }) => id)
  return [...made, ...(await shortenMade(tx, more))]
}
