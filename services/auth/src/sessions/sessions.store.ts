import type { Queryable } from '@svc/database'
import type { Session } from '@svc/proto/auth/v1/sessions'
import {
  type AuthenticationRow,
  authenticationColumns,
  toAuthentication,
  toBytes,
} from '../credentials/records/authentications.store.ts'
import {
  filterValues,
  matchesFilter,
  type SessionFilter,
} from '../credentials/revocations/ended-tokens.store.ts'

export interface NewSession {
  readonly tokenHash: string
  /** The static token that it is made with, and the secret that was presented. */
  readonly parentId: string
  readonly parentHash: string
  readonly lifetimeMs: number
  readonly idleTimeoutMs: number | undefined
}

interface SessionRow extends AuthenticationRow {
  readonly issuer: string | null
  readonly subject: string | null
  readonly parentId: string | null
}

const columns = `${authenticationColumns}, issuer, subject, parent_id AS "parentId"`

/**
 * Makes a session of a static token: it may do the same, from the same addresses, and ends with it,
 * or with the secret that was presented. Whoever changes the token waits for this, and it for them.
 *
 * @returns nothing when the token, or that secret, is no longer good
 */
export async function insertSession(
  db: Queryable,
  session: NewSession,
): Promise<StoredSession | undefined> {
  const [row] = await db.query<SessionRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, namespace_key, allowed_addresses, parent_id, idle_timeout,
        expires_at)
     SELECT method, $3::bytea, metadata, namespace_key, allowed_addresses, id,
            $5 * interval '1 millisecond',
            least(now() + $4 * interval '1 millisecond', expires_at,
                  CASE WHEN token_hash <> $2 THEN previous_expires_at END)
       FROM auth.authentications
      WHERE id = $1 AND method = 'METHOD_TOKEN' AND parent_id IS NULL
        AND (expires_at IS NULL OR expires_at > now())
        AND (token_hash = $2 OR previous_token_hash = $2 AND previous_expires_at > now())
        FOR SHARE
     RETURNING ${columns}`,
    [
      session.parentId,
      toBytes(session.parentHash),
      toBytes(session.tokenHash),
      session.lifetimeMs,
      session.idleTimeoutMs ?? null,
    ],
  )
  return row && toStored(row)
}

/** A session as it is shown, and what else matters of it. */
export interface StoredSession {
  readonly session: Omit<Session, 'current'>
  readonly position: number
  /** The static token that it was made with. */
  readonly parentId: string | undefined
}

/** Finds the record of any credential, be it a session or not. */
export async function findSession(db: Queryable, id: string): Promise<StoredSession | undefined> {
  const [row] = await db.query<SessionRow>(
    `SELECT ${columns} FROM auth.authentications WHERE id = $1`,
    [id],
  )
  return row && toStored(row)
}

/** In the order of creation. */
export async function listSessions(
  db: Queryable,
  filter: SessionFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<StoredSession[]> {
  const rows = await db.query<SessionRow>(
    `SELECT ${columns} FROM auth.authentications
      WHERE ${matchesFilter} AND position > $5 ORDER BY position LIMIT $6`,
    [...filterValues(filter), after, limit],
  )
  return rows.map(toStored)
}

function toStored(row: SessionRow): StoredSession {
  return {
    session: {
      authentication: toAuthentication(row),
      namespaceKey: row.namespaceKey ?? '',
      issuer: row.issuer ?? '',
      subject: row.subject ?? '',
    },
    position: row.position,
    parentId: row.parentId ?? undefined,
  }
}
