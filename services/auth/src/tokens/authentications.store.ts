import { formatInstant, type Instant, type Queryable } from '@svc/database'
import type { Authentication, Method } from '@svc/proto/auth/v1/authentications'

/** What is known of a client token: facts only, from which each request is decided anew. */
export interface TokenRecord {
  readonly authentication: Authentication
  /** The only namespace in which the token is good; empty when it is good in all. */
  readonly namespaceKey: string
}

export interface NewToken {
  readonly method: Method
  readonly tokenHash: string
  readonly metadata: Readonly<Record<string, string>>
  readonly namespaceKey: string
  readonly expiresAt: Instant | undefined
}

export interface AuthenticationRow {
  readonly id: string
  readonly method: Method
  readonly metadata: Record<string, string>
  readonly namespaceKey: string | null
  readonly position: number
  readonly expiresAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

export const authenticationColumns = `id, method, metadata, namespace_key AS "namespaceKey", position,
  expires_at AS "expiresAt", created_at AS "createdAt", updated_at AS "updatedAt"`

/** @returns what was stored, or `undefined` when a token of this hash exists already */
export async function insertToken(
  db: Queryable,
  token: NewToken,
): Promise<AuthenticationRow | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications (method, token_hash, metadata, namespace_key, expires_at)
     VALUES ($1, $2, $3, NULLIF($4, ''), $5)
     ON CONFLICT (token_hash) DO NOTHING
     RETURNING ${authenticationColumns}`,
    [
      token.method,
      toBytes(token.tokenHash),
      JSON.stringify(token.metadata),
      token.namespaceKey,
      token.expiresAt === undefined ? null : toTimestamp(token.expiresAt),
    ],
  )
  return row
}

export async function findByTokenHash(
  db: Queryable,
  tokenHash: string,
): Promise<TokenRecord | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `SELECT ${authenticationColumns} FROM auth.authentications WHERE token_hash = $1`,
    [toBytes(tokenHash)],
  )
  return row && { authentication: toAuthentication(row), namespaceKey: row.namespaceKey ?? '' }
}

export async function findAuthentication(
  db: Queryable,
  id: string,
): Promise<Authentication | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `SELECT ${authenticationColumns} FROM auth.authentications WHERE id = $1`,
    [id],
  )
  return row && toAuthentication(row)
}

/** @returns the hash of the token with this id, which stays the same for as long as there is one */
export async function findTokenHash(db: Queryable, id: string): Promise<string | undefined> {
  const [row] = await db.query<{ tokenHash: Buffer }>(
    'SELECT token_hash AS "tokenHash" FROM auth.authentications WHERE id = $1',
    [id],
  )
  return row?.tokenHash.toString('base64url')
}

export interface AuthenticationsQuery {
  readonly method: Method | undefined
  /** Only those after this position. */
  readonly after: number
  readonly limit: number
}

/** In the order of creation. */
export async function listAuthentications(
  db: Queryable,
  { method, after, limit }: AuthenticationsQuery,
): Promise<{ readonly authentication: Authentication; readonly position: number }[]> {
  const rows = await db.query<AuthenticationRow>(
    `SELECT ${authenticationColumns} FROM auth.authentications
      WHERE position > $1 AND ($2::text IS NULL OR method = $2)
      ORDER BY position LIMIT $3`,
    [after, method ?? null, limit],
  )
  return rows.map((row) => ({ authentication: toAuthentication(row), position: row.position }))
}

export async function hasAuthentications(db: Queryable): Promise<boolean> {
  return (await db.query('SELECT FROM auth.authentications LIMIT 1')).length > 0
}

export function toAuthentication(row: AuthenticationRow): Authentication {
  const { id, method, metadata, expiresAt, createdAt, updatedAt } = row
  return { id, method, metadata, createdAt, updatedAt, expiresAt: expiresAt ?? undefined }
}

/** Cut to the microseconds that are kept, where PostgreSQL would round. */
export function toTimestamp({ seconds, nanos }: Instant): string {
  return formatInstant({ seconds, nanos: nanos - (nanos % 1000) })
}

/** A hash as the tables have it. */
export function toBytes(tokenHash: string): Buffer {
  return Buffer.from(tokenHash, 'base64url')
}
