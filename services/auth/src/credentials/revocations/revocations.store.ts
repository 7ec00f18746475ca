import type { Queryable } from '@svc/database'
import { toTimestamp } from '../records/instants.ts'
import { fromBytes } from '../records/token.ts'
import type { Revocation } from './recent-revocations.ts'
import type { RevokedToken } from './revoked-tokens.store.ts'

/** The channel that notifies the listeners for revocations. */
export const channel = 'auth_revocations'

interface Row extends Omit<Revocation, 'tokenHash'> {
  readonly tokenHash: Buffer
}

const columns = `seq, token_hash AS "tokenHash",
  (extract(epoch FROM clock_timestamp() - revoked_at) * 1000)::float8 AS "ageMs",
  (extract(epoch FROM refused_from - clock_timestamp()) * 1000)::float8 AS "validForMs"`

/**
 * Records revocations. From here to the commit, transactions are serialized in the order of their
 * numbers: a reader that has seen a number has seen all below it.
 */
export async function recordRevocations(
  tx: Queryable,
  revoked: readonly Pick<RevokedToken, 'tokenHashes' | 'validUntil'>[],
): Promise<Revocation[]> {
  const each = revoked.flatMap(({ tokenHashes, validUntil }) =>
    tokenHashes.map((tokenHash) => ({ tokenHash, validUntil })),
  )
  const rows = await tx.query<Row>(
    // The numbers are drawn once the lock is held.
    `WITH locked AS MATERIALIZED (
       SELECT pg_advisory_xact_lock(hashtextextended('auth.revocations', 0))
     )
     INSERT INTO auth.revocations (token_hash, refused_from)
     SELECT each.* FROM locked, unnest($1::bytea[], $2::timestamptz[]) AS each
     RETURNING ${columns}`,
    [each.map(({ tokenHash }) => tokenHash), each.map(({ validUntil }) => toTimestamp(validUntil))],
  )
  return rows.map(toRevocation)
}

export async function notifyListeners(tx: Queryable): Promise<void> {
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

/**
 * Deletes some of those older than an hour, but never the latest, which marks the position of readers.
 * Safe in any number of processes at once.
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
  return { ...row, tokenHash: fromBytes(tokenHash) }
}
