import type { DatabaseClock, Instant } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { workloadName } from '../../methods/orchestrator/metadata.ts'
import type { TokenRecord } from '../records/authentications.store.ts'
import { tokenKeys } from '../records/metadata.ts'
import { unauthenticated } from '../records/refusals.ts'
import { hashToken, isPlausible } from '../records/token.ts'
import type { RecentRevocations } from '../revocations/recent-revocations.ts'
import type { TokenLookup } from './token-lookup.ts'

/** Tells whose credential it is; see {@link authenticate}. */
export type Authenticate = (credential: string) => Promise<Identity>

/** Whether the holder of a token may still come in, as the settings have it. */
export type Admits = (authentication: Pick<Authentication, 'metadata' | 'method'>) => boolean

/** What tells whether a token is good. */
export interface Deciding {
  readonly lookup: TokenLookup
  readonly clock: DatabaseClock
  readonly revocations: RecentRevocations
  readonly admits: Admits
}

/** How far off the database's clock, as it is read here, may be on a busy machine, in milliseconds. */
const clockErrorMs = 1000

/**
 * Whether a token is good is found out on each use, from what is known of it: a token is refused
 * from the first instant of its expiry on, by the clock of the database.
 *
 * @throws {AppError} `unauthenticated`, always the same one; `unavailable` when nobody can tell
 */
export async function authenticate(deciding: Deciding, clientToken: string): Promise<Identity> {
  if (!isPlausible(clientToken)) throw unauthenticated()
  return identify(deciding, hashToken(clientToken))
}

/** @throws as {@link authenticate} does */
export async function identify(
  { lookup, clock, revocations, admits }: Deciding,
  tokenHash: string,
): Promise<Identity> {
  const found = await lookup.find(tokenHash)
  if (found === 'unknown') throw unauthenticated()
  const { authentication, namespaceKey, isSession } = found
  const expiresInMs = endOf(found) - clock.nowMs()
  if (expiresInMs <= 0) throw unauthenticated()
  // Whoever ended a token has the answer by now, and must not find it to be good.
  if (expiresInMs < clockErrorMs && revocations.isRefused(tokenHash)) throw unauthenticated()
  if (!admits(authentication)) throw unauthenticated()
  return {
    authentication,
    namespaceKey,
    isSession,
    name: nameOf(authentication),
    tokenHash: Buffer.from(tokenHash, 'base64url'),
    expiresInMs: Number.isFinite(expiresInMs) ? Math.floor(expiresInMs) : undefined,
  }
}

/**
 * How much longer than its idle timeout a login may go unused, in milliseconds: gateways tell of uses
 * once a minute, and what is known of a login may be half a minute old.
 */
const unknownUseMs = 120_000

/** When a token ends by itself, in milliseconds since 1970; never is infinite. */
function endOf({ authentication, secretExpiresAt, idleTimeoutMs }: TokenRecord): number {
  const { expiresAt, createdAt, use } = authentication
  const lastUsedAt = use?.lastAt ?? createdAt
  const ends = [expiresAt, secretExpiresAt].flatMap((instant) => (instant ? [toMs(instant)] : []))
  if (idleTimeoutMs !== undefined && lastUsedAt !== undefined) {
    ends.push(toMs(lastUsedAt) + idleTimeoutMs + unknownUseMs)
  }
  return Math.min(...ends)
}

function nameOf({ metadata }: Authentication): string {
  return metadata[tokenKeys.name] ?? workloadName(metadata) ?? ''
}

function toMs({ seconds, nanos }: Instant): number {
  return seconds * 1000 + nanos / 1e6
}
