import type { Instant, Queryable } from '@svc/database'
import type { Authentication, Method, TokenUse } from '@svc/proto/auth/v1/authentications'
import { toTimestamp } from './instants.ts'
import { fromBytes, type Hash, toBytes } from './token.ts'

/**
 * Whether a record is the session of a browser. The column is null in rows of earlier releases, whose
 * sessions are known by their method or parent.
 */
export const isSession = `coalesce(
  is_session, method IN ('METHOD_OIDC', 'METHOD_CODEHOST') OR parent_id IS NOT NULL)`

/** What is known of a client token: facts only, from which validity is decided at each use. */
export interface TokenRecord {
  readonly authentication: Authentication
  /** The only namespace in which the token is valid; empty when it is valid in all. */
  readonly namespaceKey: string
  /** Whether it is the session of a browser. */
  readonly isSession: boolean
  /** How long it may go unused. */
  readonly idleTimeoutMs?: number | undefined
  /** When the secret by which it was found expires, if that is not the present one. */
  readonly secretExpiresAt?: Instant | undefined
}

export interface NewToken {
  readonly method: Method
  readonly tokenHash: Hash
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

/** The columns of every row that becomes an authentication. */
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
       (method, token_hash, metadata, namespace_key, expires_at, allowed_addresses, is_session)
     VALUES ($1, $2, $3, NULLIF($4, ''), $5, $6, false)
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

/** Finds a record by its present secret or the previous one, valid or not. */
export async function findByTokenHash(
  db: Queryable,
  tokenHash: Hash,
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

/** @returns the hashes of the present and previous secrets of a token */
export async function findTokenHashes(db: Queryable, id: string): Promise<Hash[]> {
  const [row] = await db.query<{ tokenHash: Buffer; previousTokenHash: Buffer | null }>(
    `SELECT token_hash AS "tokenHash", previous_token_hash AS "previousTokenHash"
       FROM auth.authentications WHERE id = $1`,
    [id],
  )
  const hashes = [row?.tokenHash, row?.previousTokenHash]
  return hashes.flatMap((hash) => (hash ? [fromBytes(hash)] : []))
}

export interface AuthenticationsQuery {
  readonly method: Method | undefined
  /** Only those after this position. */
  readonly after: number
  readonly limit: number
}

/** In the order of creation, without the sessions that were made of static tokens. */
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

/** PostgreSQL has no NUL characters: a text that contains one is the id of no record. */
export function isStorable(id: string): boolean {
  return !id.includes('\0')
}
