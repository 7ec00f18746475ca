import type { Queryable } from '@svc/database'
import type { Authentication, Method } from '@svc/proto/auth/v1/authentications'
import {
  insertAuthentication,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import type { Hash } from '../../credentials/records/token.ts'

/** A login, as the identity provider reported it. */
export interface Login {
  readonly method: Method
  readonly metadata: Readonly<Record<string, string>>
  /** Identifies the person, together with the subject. */
  readonly issuer: string
  readonly subject: string
  /** The session at the identity provider, if it names one. */
  readonly sessionId?: string | undefined
}

/** Metadata of a login, without what the provider did not say. */
export function presentMetadata(
  metadata: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const present = Object.entries(metadata).filter((entry): entry is [string, string] => !!entry[1])
  return Object.fromEntries(present)
}

export interface NewLogin extends Login {
  readonly tokenHash: Hash
  readonly lifetimeMs: number
  readonly idleTimeoutMs: number | undefined
}

export async function insertLogin(db: Queryable, login: NewLogin): Promise<Authentication> {
  const row = await insertAuthentication(db, login)
  if (row === undefined) throw new Error('a login was not stored')
  return toAuthentication(row)
}

/** @returns the ids; a login without a known session matches every session */
export async function findLogins(
  db: Queryable,
  issuer: string,
  { subject, sessionId }: { readonly [K in 'subject' | 'sessionId']: string | undefined },
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
