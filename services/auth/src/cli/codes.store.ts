import type { Instant, Queryable } from '@svc/database'
import { type Hash, toBytes } from '../credentials/records/token.ts'

/** Lifetime of a code, in milliseconds. */
const lifetimeMs = 60_000

/** Maximum codes of a session that wait: one for each terminal that logs in. A new one ends the oldest. */
const maxWaiting = 5

/** A code ends with this many wrong verifiers: who guesses has not begun this login. */
const maxFailures = 5

/** What a code stands for. */
export interface Allowed {
  readonly sessionId: string
  /** Of the verifier, 32 bytes. */
  readonly challenge: Buffer
  /** Empty: none. */
  readonly description: string
  readonly sealedSecret: string | null
}

/** @returns when the code expires */
export async function insertCode(tx: Queryable, hash: Hash, allowed: Allowed): Promise<Instant> {
  const { sessionId, challenge, description, sealedSecret } = allowed
  await tx.query(
    `DELETE FROM auth.cli_codes WHERE session_id = $1 AND code_hash NOT IN (
       SELECT code_hash FROM auth.cli_codes WHERE session_id = $1 AND expires_at > now()
        ORDER BY expires_at DESC LIMIT $2)`,
    [sessionId, maxWaiting - 1],
  )
  const [row] = await tx.query<{ expiresAt: Instant }>(
    `INSERT INTO auth.cli_codes
       (code_hash, session_id, challenge, description, sealed_secret, expires_at)
     VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond')
     RETURNING expires_at AS "expiresAt"`,
    [toBytes(hash), sessionId, challenge, description, sealedSecret, lifetimeMs],
  )
  if (row === undefined) throw new Error('a code was not stored')
  return row.expiresAt
}

/**
 * Takes a code, which then is of no more use.
 *
 * @param isRight whether the caller has the verifier; if not, that is counted, and has to be committed
 * @returns what it stands for, or why it does not
 */
export async function takeCode(
  tx: Queryable,
  hash: Hash,
  isRight: (challenge: Buffer) => boolean,
): Promise<Allowed | 'unknown_code' | 'wrong_verifier'> {
  const code = [toBytes(hash)]
  const [row] = await tx.query<Allowed & { failures: number }>(
    `SELECT session_id AS "sessionId", challenge, description, failures,
            sealed_secret AS "sealedSecret"
       FROM auth.cli_codes WHERE code_hash = $1 AND expires_at > now() FOR UPDATE`,
    code,
  )
  if (row === undefined) return 'unknown_code'
  const { failures, ...allowed } = row
  if (!isRight(allowed.challenge) && failures + 1 < maxFailures) {
    await tx.query('UPDATE auth.cli_codes SET failures = failures + 1 WHERE code_hash = $1', code)
    return 'wrong_verifier'
  }
  await tx.query('DELETE FROM auth.cli_codes WHERE code_hash = $1', code)
  return isRight(allowed.challenge) ? allowed : 'wrong_verifier'
}

/** Safe in any number of processes at once. @returns how many */
export async function deleteExpiredCodes(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(
    `DELETE FROM auth.cli_codes WHERE code_hash IN (
       SELECT code_hash FROM auth.cli_codes WHERE expires_at <= now()
        LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING code_hash`,
    [limit],
  )
  return rows.length
}
