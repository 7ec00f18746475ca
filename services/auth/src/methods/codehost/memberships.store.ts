import type { Queryable } from '@svc/database'

export async function insertMembership(
  tx: Queryable,
  authenticationId: string,
  sealedAccessToken: string,
): Promise<void> {
  await tx.query(
    `INSERT INTO auth.codehost_memberships (authentication_id, sealed_access_token)
     VALUES ($1, $2)`,
    [authenticationId, sealedAccessToken],
  )
}

/** @returns nothing for a login whose memberships do not matter */
export async function findSealedAccessToken(
  db: Queryable,
  authenticationId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ sealed: string }>(
    `SELECT sealed_access_token AS sealed FROM auth.codehost_memberships
      WHERE authentication_id = $1`,
    [authenticationId],
  )
  return row?.sealed
}

export interface MembershipClaim {
  /** Set when a check is due; no other process gets it before the lease ends. */
  readonly sealedAccessToken: string | null
  /** Milliseconds until the next check is due, where none is. */
  readonly dueInMs: number
}

/**
 * @param leaseMs until the next check is due, unless this one is confirmed
 * @returns `undefined` for a login from before memberships mattered
 */
export async function claimMembership(
  db: Queryable,
  authenticationId: string,
  intervalMs: number,
  leaseMs: number,
): Promise<MembershipClaim | undefined> {
  const [claim] = await db.query<MembershipClaim>(
    // The outer query sees the row as it was before the update.
    `WITH claimed AS (
       UPDATE auth.codehost_memberships
          SET checked_at = now() - ($2::float8 - $3) * interval '1 millisecond'
        WHERE authentication_id = $1 AND checked_at <= now() - $2 * interval '1 millisecond'
        RETURNING sealed_access_token)
     SELECT (SELECT sealed_access_token FROM claimed) AS "sealedAccessToken",
            extract(epoch FROM checked_at - now())::float8 * 1000 + $2 AS "dueInMs"
       FROM auth.codehost_memberships WHERE authentication_id = $1`,
    [authenticationId, intervalMs, leaseMs],
  )
  return claim
}

/** Makes the next check due after the whole interval. */
export async function confirmMembership(db: Queryable, authenticationId: string): Promise<void> {
  const text =
    'UPDATE auth.codehost_memberships SET checked_at = now() WHERE authentication_id = $1'
  await db.query(text, [authenticationId])
}
