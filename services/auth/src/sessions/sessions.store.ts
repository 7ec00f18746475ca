import type { Settings } from '@svc/config'
import type { Queryable } from '@svc/database'
import type { Session } from '@svc/proto/auth/v1/sessions'
import {
  type AuthenticationRow,
  authenticationColumns,
  isSession,
  toAuthentication,
} from '../credentials/records/authentications.store.ts'
import type { Range } from '../credentials/records/pages.ts'
import { type Hash, toBytes } from '../credentials/records/token.ts'
import {
  filterValues,
  matchesFilter,
  type SessionFilter,
} from '../credentials/revocations/revoked-tokens.store.ts'

/**
 * Makes a session of a static token. It has the token's rights and addresses, and ends with it or with
 * the secret that was presented. The row lock serializes this with changes of the token.
 *
 * @param parent the token, and the secret that was presented
 * @returns nothing when the token, or that secret, is no longer valid
 */
export async function insertSession(
  db: Queryable,
  tokenHash: Hash,
  parent: { readonly id: string; readonly hash: Hash },
  { tokenLifetime, idleTimeout }: Settings['authentication']['session'],
): Promise<AuthenticationRow | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, namespace_key, allowed_addresses, parent_id, idle_timeout,
        expires_at, is_session)
     SELECT method, $3::bytea, metadata, namespace_key, allowed_addresses, id,
            $5 * interval '1 millisecond',
            least(now() + $4 * interval '1 millisecond', expires_at,
                  CASE WHEN token_hash <> $2 THEN previous_expires_at END),
            true
       FROM auth.authentications
      WHERE id = $1 AND method = 'METHOD_TOKEN' AND parent_id IS NULL
        AND (expires_at IS NULL OR expires_at > now())
        AND (token_hash = $2 OR previous_token_hash = $2 AND previous_expires_at > now())
        FOR SHARE
     RETURNING ${authenticationColumns}`,
    [parent.id, toBytes(parent.hash), toBytes(tokenHash), tokenLifetime, idleTimeout ?? null],
  )
  return row
}

/** @returns the id of the session with this token; nothing for a token that is none */
export async function findSessionId(db: Queryable, tokenHash: Hash): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `SELECT id FROM auth.authentications WHERE token_hash = $1 AND ${isSession}`,
    [toBytes(tokenHash)],
  )
  return row?.id
}

/** In the order of creation. */
export async function listSessions(
  db: Queryable,
  filter: SessionFilter,
  { after, limit }: Range,
): Promise<AuthenticationRow[]> {
  const values = filterValues(filter)
  if (values === undefined) return []
  return db.query(
    `SELECT ${authenticationColumns} FROM auth.authentications
      WHERE ${matchesFilter} AND position > $5 ORDER BY position LIMIT $6`,
    [...values, after, limit],
  )
}

/** @param currentId the id of the caller's own record */
export function toSession(row: AuthenticationRow, currentId: string): Session {
  return {
    authentication: toAuthentication(row),
    namespaceKey: row.namespaceKey ?? '',
    issuer: row.issuer ?? '',
    subject: row.subject ?? '',
    current: row.id === currentId,
  }
}
