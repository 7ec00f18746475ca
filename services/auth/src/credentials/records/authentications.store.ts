import { formatInstant, type Instant, type Queryable } from '@svc/database'
import type { Authentication, Method, TokenUse } from '@svc/proto/auth/v1/authentications'

/** Whether a record is the login of a browser. */
export const isSession = `(method IN ('METHOD_OIDC', 'METHOD_CODEHOST') OR parent_id IS NOT NULL)`

/** What is known of a client token: facts only, from which each request is decided anew. */
export interface TokenRecord {
  readonly authentication: Authentication
  /** The only namespace in which the token is good; empty when it is good in all. */
  readonly namespaceKey: string
  /** Whether it is the login of a browser. */
  readonly isSession: boolean
  /** How long it may go without being used. */
  readonly idleTimeoutMs?: number | undefined
  /** Until when the secret is good by which it was found, when it is no longer the present one. */
  readonly secretExpiresAt?: Instant | undefined
}

export interface NewToken {
  readonly method: Method
  readonly tokenHash: string
  readonly metadata: Readonly<Record<string, string>>
  readonly namespaceKey: string
  readonly expiresAt: Instant | undefined
  readonly allowedAddresses?: readonly string[]
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
  readonly allowedAddresses: string[]
  readonly previousExpiresAt: Instant | null
  readonly lastUsedAt: Instant | null
  readonly lastUsedAddress: string | null
  readonly useCount: number
}

/** Of every row that becomes an authentication. */
export const authenticationColumns = `id, method, metadata, namespace_key AS "namespaceKey", position,
  expires_at AS "expiresAt", created_at AS "createdAt", updated_at AS "updatedAt",
  allowed_addresses AS "allowedAddresses",
  CASE WHEN previous_expires_at > now() THEN previous_expires_at END AS "previousExpiresAt",
  last_used_at AS "lastUsedAt", last_used_address AS "lastUsedAddress", use_count AS "useCount"`

/** @returns what was stored, or `undefined` when a token of this hash exists already */
export async function insertToken(
  db: Queryable,
  token: NewToken,
): Promise<AuthenticationRow | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, namespace_key, expires_at, allowed_addresses)
     VALUES ($1, $2, $3, NULLIF($4, ''), $5, $6)
     ON CONFLICT (token_hash) DO NOTHING
     RETURNING ${authenticationColumns}`,
    [
      token.method,
      toBytes(token.tokenHash),
      JSON.stringify(token.metadata),
      token.namespaceKey,
      token.expiresAt === undefined ? null : toTimestamp(token.expiresAt),
      token.allowedAddresses ?? [],
    ],
  )
  return row
}

interface FoundRow extends AuthenticationRow {
  readonly isSession: boolean
  readonly idleTimeoutMs: number | null
  readonly secretExpiresAt: Instant | null
}

/** Finds it by its present secret, or the one before, good or not. */
export async function findByTokenHash(
  db: Queryable,
  tokenHash: string,
): Promise<TokenRecord | undefined> {
  const [row] = await db.query<FoundRow>(
    `SELECT ${authenticationColumns}, ${isSession} AS "isSession",
            extract(epoch FROM idle_timeout)::float8 * 1000 AS "idleTimeoutMs",
            CASE WHEN token_hash <> $1 THEN previous_expires_at END AS "secretExpiresAt"
       FROM auth.authentications WHERE token_hash = $1 OR previous_token_hash = $1`,
    [toBytes(tokenHash)],
  )
  if (row === undefined) return undefined
  return {
    authentication: toAuthentication(row),
    namespaceKey: row.namespaceKey ?? '',
    isSession: row.isSession,
    idleTimeoutMs: row.idleTimeoutMs ?? undefined,
    secretExpiresAt: row.secretExpiresAt ?? undefined,
  }
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

/** @returns the hashes of the secrets that the token with this id has or had before */
export async function findTokenHashes(db: Queryable, id: string): Promise<string[]> {
  const [row] = await db.query<{ tokenHash: Buffer; previousTokenHash: Buffer | null }>(
    `SELECT token_hash AS "tokenHash", previous_token_hash AS "previousTokenHash"
       FROM auth.authentications WHERE id = $1`,
    [id],
  )
  const hashes = row === undefined ? [] : [row.tokenHash, row.previousTokenHash]
  return hashes.flatMap((hash) => hash?.toString('base64url') ?? [])
}

export interface AuthenticationsQuery {
  readonly method: Method | undefined
  /** Only those after this position. */
  readonly after: number
  readonly limit: number
}

/** In the order of creation, without the sessions that were begun with static tokens. */
export async function listAuthentications(
  db: Queryable,
  { method, after, limit }: AuthenticationsQuery,
): Promise<{ readonly authentication: Authentication; readonly position: number }[]> {
  const rows = await db.query<AuthenticationRow>(
    `SELECT ${authenticationColumns} FROM auth.authentications
      WHERE position > $1 AND ($2::text IS NULL OR method = $2) AND parent_id IS NULL
      ORDER BY position LIMIT $3`,
    [after, method ?? null, limit],
  )
  return rows.map((row) => ({ authentication: toAuthentication(row), position: row.position }))
}

export async function hasAuthentications(db: Queryable): Promise<boolean> {
  return (await db.query('SELECT FROM auth.authentications LIMIT 1')).length > 0
}

export function toAuthentication(row: AuthenticationRow): Authentication {
  const { id, method, metadata, createdAt, updatedAt, allowedAddresses } = row
  return {
    id,
    method,
    metadata,
    createdAt,
    updatedAt,
    expiresAt: row.expiresAt ?? undefined,
    use: toUse(row),
    allowedAddresses,
    previousSecretExpiresAt: row.previousExpiresAt ?? undefined,
  }
}

function toUse({ lastUsedAt, lastUsedAddress, useCount }: AuthenticationRow): TokenUse | undefined {
  if (lastUsedAt === null) return undefined
  return { lastAt: lastUsedAt, lastAddress: lastUsedAddress ?? '', count: useCount }
}

/** Cut to the microseconds that are kept, where PostgreSQL would round. */
export function toTimestamp({ seconds, nanos }: Instant): string {
  return formatInstant({ seconds, nanos: nanos - (nanos % 1000) })
}

/** A hash as the tables have it. */
export function toBytes(tokenHash: string): Buffer {
  return Buffer.from(tokenHash, 'base64url')
}

/** PostgreSQL has no NUL characters; what contains one is the id of nothing. */
export function isStorable(id: string): boolean {
  return !id.includes('\0')
}
