import type { Instant, Queryable } from '@svc/database'
import type { Authentication, Method } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { toTimestamp } from './instants.ts'
import type { Range } from './pages.ts'
import { fromBytes, type Hash, toBytes } from './token.ts'

/**
 * Whether a record is the session of a browser. The column is null in rows of earlier releases, whose
 * sessions are known by their method or parent.
 */
export const isSession = `coalesce(
  is_session, method IN ('METHOD_OIDC', 'METHOD_CODEHOST') OR parent_id IS NOT NULL)`

/**
 * The order in which rows are locked, so that transactions that lock several wait for each other and no
 * deadlock comes of it: tokens, their sessions, and what the command line got from sessions.
 */
export const lockOrder = `parent_id IS NOT NULL AND NOT ${isSession}, ${isSession}, id`

/** The holder of a credential. Only the identity of an anonymous call has no authentication. */
export type Holder = Identity & { readonly authentication: Authentication }

/** What is known of a client token: facts only, from which validity is decided at each use. */
export interface TokenRecord {
  readonly authentication: Authentication
  /** The only namespace in which the token is valid; empty when it is valid in all. */
  readonly namespaceKey: string
  /** Whether it is the session of a browser. */
  readonly isSession: boolean
  /** The id of the static token or login that it was made of; its own where it is one. */
  readonly rootId: string
  /** Who said whose login it is; empty for a record that is no login of a person. */
  readonly issuer: string
  /** How long it may go unused. */
  readonly idleTimeoutMs?: number | undefined
  /** Since when that counts, where it is not its own last use: a token of the command line ends with its session. */
  readonly idleSince?: Instant | undefined
  /** When the secret by which it was found expires, if that is not the present one. */
  readonly secretExpiresAt?: Instant | undefined
}

export interface NewAuthentication {
  readonly method: Method
  readonly tokenHash: Hash
  readonly metadata: Readonly<Record<string, string>>
  readonly namespaceKey?: string
  readonly allowedAddresses?: readonly string[]
  /** With a lifetime, too, the earlier end counts; with neither, it never expires. */
  readonly expiresAt?: Instant | undefined
  readonly lifetimeMs?: number | undefined
  /** Identifies a person who logged in with a browser, together with the subject. */
  readonly issuer?: string
  readonly subject?: string
  /** The session at the identity provider, if it names one. */
  readonly sessionId?: string | undefined
  readonly idleTimeoutMs?: number | undefined
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
  readonly issuer: string | null
  readonly subject: string | null
  /** The static token that a session was made of, or the session of a token of the command line. */
  readonly parentId: string | null
}

/** The columns of an {@link AuthenticationRow}. */
export const authenticationColumns = `id, method, metadata, namespace_key AS "namespaceKey", position,
  expires_at AS "expiresAt", created_at AS "createdAt", updated_at AS "updatedAt",
  allowed_addresses AS "allowedAddresses", issuer, subject, parent_id AS "parentId",
  CASE WHEN previous_expires_at > now() THEN previous_expires_at END AS "previousExpiresAt",
  last_used_at AS "lastUsedAt", last_used_address AS "lastUsedAddress", use_count AS "useCount"`

/** @returns what was stored, or `undefined` when a token of this hash exists already */
export async function insertAuthentication(
  db: Queryable,
  { expiresAt, ...token }: NewAuthentication,
): Promise<AuthenticationRow | undefined> {
  const [row] = await db.query<AuthenticationRow>(
    `INSERT INTO auth.authentications
       (method, token_hash, metadata, namespace_key, allowed_addresses, expires_at,
        is_session, issuer, subject, session_id, idle_timeout)
     VALUES ($1, $2, $3, NULLIF($4, ''), $5,
             least($6::timestamptz, now() + $7::float8 * interval '1 millisecond'),
             $8, $9, $10, $11, $12::float8 * interval '1 millisecond')
     ON CONFLICT (token_hash) DO NOTHING
     RETURNING ${authenticationColumns}`,
    [
      token.method,
      toBytes(token.tokenHash),
      JSON.stringify(token.metadata),
      token.namespaceKey ?? '',
      token.allowedAddresses ?? [],
      expiresAt === undefined ? null : toTimestamp(expiresAt),
      token.lifetimeMs ?? null,
      token.issuer !== undefined,
      token.issuer ?? null,
      token.subject ?? null,
      token.sessionId ?? null,
      token.idleTimeoutMs ?? null,
    ],
  )
  return row
}

interface FoundRow extends AuthenticationRow {
  readonly rootId: string
  readonly isSession: boolean
  readonly idleTimeoutMs: number | null
  readonly idleSince: Instant | null
  readonly secretExpiresAt: Instant | null
}

/** Finds a record by its present secret or the previous one, valid or not. */
export async function findByTokenHash(
  db: Queryable,
  tokenHash: Hash,
): Promise<TokenRecord | undefined> {
  const [row] = await db.query<FoundRow>(
    `SELECT ${authenticationColumns}, ${isSession} AS "isSession",
            coalesce(root_of_parent, id) AS "rootId",
            extract(epoch FROM coalesce(idle_timeout, timeout_of_session))::float8 * 1000
              AS "idleTimeoutMs", session_used_at AS "idleSince",
            CASE WHEN token_hash <> $1 THEN previous_expires_at END AS "secretExpiresAt"
       FROM auth.authentications AS a LEFT JOIN LATERAL (
              -- Of a token of the command line it is a session, of a session a static token.
              SELECT coalesce(parent_id, id) AS root_of_parent,
                     CASE WHEN NOT a.is_session THEN idle_timeout END AS timeout_of_session,
                     CASE WHEN NOT a.is_session THEN coalesce(last_used_at, created_at) END
                       AS session_used_at
                FROM auth.authentications WHERE id = a.parent_id
            ) AS parent ON true
      WHERE token_hash = $1 OR previous_token_hash = $1`,
    [toBytes(tokenHash)],
  )
  if (row === undefined) return undefined
  return {
    authentication: toAuthentication(row),
    namespaceKey: row.namespaceKey ?? '',
    isSession: row.isSession,
    rootId: row.rootId,
    issuer: row.issuer ?? '',
    idleTimeoutMs: row.idleTimeoutMs ?? undefined,
    idleSince: row.idleSince ?? undefined,
    secretExpiresAt: row.secretExpiresAt ?? undefined,
  }
}

export async function findAuthentication(
  db: Queryable,
  id: string,
): Promise<AuthenticationRow | undefined> {
  if (!isStorable(id)) return undefined
  const [row] = await db.query<AuthenticationRow>(
    `SELECT ${authenticationColumns} FROM auth.authentications WHERE id = $1`,
    [id],
  )
  return row
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

/**
 * In the order of creation, without the sessions that were made of static tokens; with the tokens that the
 * command line got from sessions.
 */
export function listAuthentications(
  db: Queryable,
  method: Method | undefined,
  { after, limit }: Range,
): Promise<AuthenticationRow[]> {
  return db.query(
    `SELECT ${authenticationColumns} FROM auth.authentications
      WHERE position > $1 AND ($2::text IS NULL OR method = $2) AND (parent_id IS NULL OR NOT is_session)
      ORDER BY position LIMIT $3`,
    [after, method ?? null, limit],
  )
}

export async function hasAuthentications(db: Queryable): Promise<boolean> {
  return (await db.query('SELECT FROM auth.authentications LIMIT 1')).length > 0
}

export function toAuthentication(row: AuthenticationRow): Authentication {
  const { id, method, metadata, createdAt, updatedAt, allowedAddresses, lastUsedAt } = row
  return {
    id,
    method,
    metadata,
    createdAt,
    updatedAt,
    expiresAt: row.expiresAt ?? undefined,
    use:
      lastUsedAt === null
        ? undefined
        : { lastAt: lastUsedAt, lastAddress: row.lastUsedAddress ?? '', count: row.useCount },
    allowedAddresses,
    previousSecretExpiresAt: row.previousExpiresAt ?? undefined,
  }
}

/** PostgreSQL has no NUL characters: a text that contains one is in no record. */
export function isStorable(text: string): boolean {
  return !text.includes('\0')
}
