import { timingSafeEqual } from 'node:crypto'
import { ticketMac } from '@svc/access'
import type { DatabaseClock, Instant, Queryable } from '@svc/database'
import type { AuthenticateTicketRequest } from '@svc/proto/auth/v1/identities'
import { findTokenHashes, type Holder, type TokenRecord } from '../records/authentications.store.ts'
import { unauthenticated } from '../records/refusals.ts'
import { type Hash, hashToken, isPlausible, toBytes } from '../records/token.ts'
import type { RecentRevocations } from '../revocations/recent-revocations.ts'
import { holderOf } from './actor.ts'
import type { HooksByMethod } from './method-hooks.ts'
import type { TokenLookup } from './token-lookup.ts'

/** What decides whether a token is valid. */
export interface AuthParts {
  readonly lookup: TokenLookup
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  readonly hooks: HooksByMethod
}

/** Maximum error of the database's clock as it is read here, on a busy machine, in milliseconds. */
const clockErrorMs = 1000

/**
 * Validity is decided on each use, from what is known of the credential. A token is refused from the
 * first instant of its expiry, by the clock of the database.
 *
 * @throws {AppError} `unauthenticated`; `unavailable` when it cannot be decided
 */
export async function authenticate(parts: AuthParts, credential: string): Promise<Holder> {
  const { hooks } = parts
  for (const { verify } of hooks.values()) {
    const verified = verify?.(credential)
    if (verified !== undefined) return verified as Promise<Holder>
  }
  if (!isPlausible(credential)) throw unauthenticated()
  const holder = await identify(parts, hashToken(credential))
  const { method, id } = holder.authentication
  hooks.get(method)?.onUse?.(id, credential)
  return holder
}

/** @throws as {@link authenticate} does */
export async function identify(
  { lookup, clock, revocations, hooks }: AuthParts,
  tokenHash: Hash,
): Promise<Holder> {
  const found = await lookup.find(tokenHash)
  if (found === 'unknown') throw unauthenticated()
  const { authentication, namespaceKey, isSession, issuer, rootId } = found
  const expiresInMs = endOf(found) - clock.nowMs()
  if (expiresInMs <= 0) throw unauthenticated()
  // The caller that revoked a token has its answer by now and must not find the token valid.
  if (expiresInMs < clockErrorMs && revocations.isRefused(tokenHash)) throw unauthenticated()
  const { method, metadata } = authentication
  if (hooks.get(method)?.isAllowed?.({ metadata, issuer }) === false) throw unauthenticated()
  return {
    ...holderOf(hooks, authentication, rootId),
    namespaceKey,
    isSession,
    tokenHash: toBytes(tokenHash),
    expiresInMs: Number.isFinite(expiresInMs) ? Math.floor(expiresInMs) : undefined,
  }
}

/**
 * Finds the secret that a ticket was made of. Whether that is still valid is decided elsewhere.
 *
 * @throws {AppError} `unauthenticated`; `unavailable` when it cannot be decided
 */
export async function secretOfTicket(
  db: Queryable,
  { tokenId, namespaceKey, mac }: AuthenticateTicketRequest,
): Promise<Hash> {
  // Also refuses U+0000, which PostgreSQL does not accept.
  const isId = /^[0-9a-f-]{36}$/.test(tokenId)
  const tokenHash = (isId ? await findTokenHashes(db, tokenId) : []).find((one) => {
    const expected = ticketMac(toBytes(one), namespaceKey)
    return mac.length === expected.length && timingSafeEqual(mac, expected)
  })
  if (tokenHash === undefined) throw unauthenticated()
  return tokenHash
}

/**
 * Added to the idle timeout of a session, in milliseconds: gateways report uses once a minute, and a
 * record in a cache may be half a minute old.
 */
const unknownUseMs = 120_000

/** When a token ends by itself, in milliseconds since 1970; infinite for never. */
function endOf(record: TokenRecord): number {
  const { authentication, secretExpiresAt, idleTimeoutMs, idleSince } = record
  const { expiresAt, createdAt, use } = authentication
  const lastUsedAt = idleSince ?? use?.lastAt ?? createdAt
  const ends = [expiresAt, secretExpiresAt].flatMap((instant) => (instant ? [toMs(instant)] : []))
  if (idleTimeoutMs !== undefined && lastUsedAt !== undefined) {
    ends.push(toMs(lastUsedAt) + idleTimeoutMs + unknownUseMs)
  }
  return Math.min(...ends)
}

function toMs({ seconds, nanos }: Instant): number {
  return seconds * 1000 + nanos / 1e6
}
