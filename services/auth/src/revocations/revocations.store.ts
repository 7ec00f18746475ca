import type { Instant, Queryable } from '@svc/database'
import { toTimestamp } from '../tokens/authentications.store.ts'
import type { Revocation } from './recent-revocations.ts'

// The only place where tokens are deleted or made to expire.

/** What wakes those who follow the revocations. */
export const channel = 'auth_revocations'

interface Row extends Omit<Revocation, 'tokenHash'> {
  readonly tokenHash: Buffer
}

const columns = `seq, token_hash AS "tokenHash",
  (extract(epoch FROM clock_timestamp() - revoked_at) * 1000)::float8 AS "ageMs",
  (extract(epoch FROM refused_from - clock_timestamp()) * 1000)::float8 AS "refusedInMs"`

/** A token that has been changed, and from when on it is refused. */
export interface EndedToken {
  readonly id: string
  readonly tokenHash: Buffer
  readonly metadata: Readonly<Record<string, string>>
  readonly refusedFrom: Instant
}

/** @returns nothing when there is no such token */
export async function deleteToken(tx: Queryable, id: string): Promise<EndedToken | undefined> {
  const [ended] = await tx.query<EndedToken>(
    `DELETE FROM auth.authentications WHERE id = $1
     RETURNING id, token_hash AS "tokenHash", metadata, now() AS "refusedFrom"`,
    [id],
  )
  return ended
}

/**
 * @param expiresAt now when left out
 * @returns nothing when there is no such token, or it expires before that anyway
 */
export async function shortenToken(
  tx: Queryable,
  id: string,
  expiresAt: Instant | undefined,
): Promise<EndedToken | undefined> {
  const [ended] = await tx.query<EndedToken>(
    `UPDATE auth.authentications
        SET expires_at = coalesce($2, now()), updated_at = clock_timestamp()
      WHERE id = $1 AND (expires_at IS NULL OR expires_at >= coalesce($2, now()))
      RETURNING id, token_hash AS "tokenHash", metadata, expires_at AS "refusedFrom"`,
    [id, expiresAt === undefined ? null : toTimestamp(expiresAt)],
  )
  return ended
}

/**
 * Notes a revocation. From here to their commit transactions go one after the other, in the order
 * of their numbers: whoever has seen a number has seen all below it.
 */
export async function recordRevocation(
  tx: Queryable,
  { tokenHash, refusedFrom }: EndedToken,
): Promise<Revocation[]> {
  const rows = await tx.query<Row>(
    // The number is drawn for a row that the lock has let through.
    `WITH locked AS MATERIALIZED (
       SELECT pg_advisory_xact_lock(hashtextextended('auth.revocations', 0))
     )
     INSERT INTO auth.revocations (token_hash, refused_from)
     SELECT $1, $2::timestamptz FROM locked
     RETURNING ${columns}`,
    [tokenHash, toTimestamp(refusedFrom)],
  )
  return rows.map(toRevocation)
}

/** @returns whether no other process is cleaning up; none will be until the transaction ends */
export async function tryLockCleanup(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(hashtextextended('auth.cleanup', 0)) AS "isLocked"`,
  )
  return row?.isLocked === true
}

/**
 * Deletes some of the tokens of a method that expired more than `gracePeriodMs` ago, by the clock
 * of the database. Nobody need be told: they have been refused everywhere since they expired, for
 * an expiry is never put off.
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

export async function wakeFollowers(tx: Queryable): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [channel, ''])
}

/** In the order of commits. */
export async function readRevocations(
  db: Queryable,
  fromSeq: number,
  limit: number,
): Promise<Revocation[]> {
  const rows = await db.query<Row>(
    `SELECT ${columns} FROM auth.revocations WHERE seq >= $1 ORDER BY seq LIMIT $2`,
    [fromSeq, limit],
  )
  return rows.map(toRevocation)
}

/** By the clock of the database, in milliseconds since 1970. */
export async function readClock(db: Queryable): Promise<number> {
  const [row] = await db.query<{ nowMs: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"',
  )
  return row?.nowMs ?? Number.NaN
}

/**
 * Deletes some of those older than an hour, but not the latest, by which readers know where they
 * are; any number of processes may do so at once.
 */
export async function deleteOldRevocations(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM auth.revocations WHERE seq IN (
       SELECT seq FROM auth.revocations WHERE revoked_at < now() - interval '1 hour'
          AND seq < (SELECT max(seq) FROM auth.revocations)
        ORDER BY seq LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING seq`,
    [limit],
  )
  return rows.length
}

function toRevocation({ tokenHash, ...row }: Row): Revocation {
  return { ...row, tokenHash: tokenHash.toString('base64url') }
}
