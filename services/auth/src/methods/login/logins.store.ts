import type { Queryable } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import {
  type AuthenticationRow,
  authenticationColumns,
  isSession,
  toAuthentication,
  toBytes,
} from '../../credentials/records/authentications.store.ts'

/** Somebody who has logged in, as the far side told. */
export interface Login {
  readonly method: 'METHOD_OIDC' | 'METHOD_CODEHOST'
  readonly metadata: Readonly<Record<string, string>>
  /** Together with the subject: who it is. */
  readonly issuer: string
  readonly subject: string
  /** Their session at the far side, where it names one. */
  readonly sessionId?: string | undefined
}

export interface NewLogin extends Login {
  readonly tokenHash: string
  readonly lifetimeMs: number
  readonly idleTimeoutMs: number | undefined
}

export async function insertLogin(db: Queryable, login: NewLogin): Promise<Authentication> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, issuer, subject, session_id, expires_at, idle_timeout)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond',
             $8 * interval '1 millisecond')
     RETURNING ${authenticationColumns}`,
    [
      login.method,
      toBytes(login.tokenHash),
      JSON.stringify(login.metadata),
      login.issuer,
      login.subject,
      login.sessionId ?? null,
      login.lifetimeMs,
      login.idleTimeoutMs ?? null,
    ],
  )
  if (row === undefined) throw new Error('a login was not stored')
  return toAuthentication(row)
}

/** @returns the id of the login with this token; nothing for a token that was made by hand */
export async function findLogin(db: Queryable, tokenHash: string): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `SELECT id FROM auth.authentications WHERE token_hash = $1 AND ${isSession}`,
    [toBytes(tokenHash)],
  )
  return row?.id
}

/** Whose logins: of somebody, in one session at the far side, or both. */
export interface LoginHolder {
  readonly issuer: string
  readonly subject: string | undefined
  readonly sessionId: string | undefined
}

/** @returns the ids; those of a session also when it is not known which one a login belongs to */
export async function findLogins(
  db: Queryable,
  { issuer, subject, sessionId }: LoginHolder,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM auth.authentications
      WHERE issuer = $1
        AND CASE WHEN $2::text IS NULL THEN session_id = $3::text
                 ELSE subject = $2 AND coalesce(session_id = $3, true) END`,
    [issuer, subject ?? null, sessionId ?? null],
  )
  return rows.map(({ id }) => id)
}
