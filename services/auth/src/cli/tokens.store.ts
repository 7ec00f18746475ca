import type { Queryable } from '@svc/database'
import {
  type AuthenticationRow,
  authenticationColumns,
  isSession,
} from '../credentials/records/authentications.store.ts'
import { cliKeys, type Hash, toBytes } from '../credentials/records/token.ts'

/** Maximum lifetime of a token: a working day. */
const lifetimeMs = 12 * 3_600_000

/** Maximum valid tokens of a session: more than terminals are open at once. */
const maxTokens = 50

interface CliTokenRow extends AuthenticationRow {
  /** See {@link TokenRecord.rootId}. */
  readonly rootId: string
}

/**
 * Makes a token of a session: it has the rights and the addresses of the session, and ends with it. The row
 * lock serializes this with the end of the session.
 *
 * @returns nothing when the session is no longer valid; `'too_many'` when it has enough of them
 */
export async function insertCliToken(
  tx: Queryable,
  tokenHash: Hash,
  sessionId: string,
  description: string,
): Promise<CliTokenRow | 'too_many' | undefined> {
  const [row] = await tx.query<CliTokenRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, namespace_key, allowed_addresses, parent_id, issuer, subject,
        session_id, expires_at, is_session)
     SELECT method, $2::bytea, metadata || $3::jsonb, namespace_key, allowed_addresses, id, issuer,
            subject, session_id, least(now() + $4 * interval '1 millisecond', expires_at), false
       FROM auth.authentications
      WHERE id = $1 AND ${isSession} AND (expires_at IS NULL OR expires_at > now())
        FOR SHARE
     RETURNING ${authenticationColumns},
       (SELECT coalesce(parent_id, id) FROM auth.authentications WHERE id = $1) AS "rootId"`,
    [sessionId, toBytes(tokenHash), JSON.stringify({ [cliKeys.name]: description }), lifetimeMs],
  )
  if (row === undefined) return undefined
  const valid = await tx.query(
    'SELECT FROM auth.authentications WHERE parent_id = $1 AND expires_at > now() LIMIT $2',
    [sessionId, maxTokens + 1],
  )
  return valid.length > maxTokens ? 'too_many' : row
}
