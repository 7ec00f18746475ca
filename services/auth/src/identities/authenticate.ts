import type { Instant } from '@svc/database'
import type { Identity } from '@svc/proto/auth/v1/identities'
import { tokenKeys } from '../tokens/metadata.ts'
import { hashToken, isPlausible } from '../tokens/token.ts'
import type { DatabaseClock } from './database-clock.ts'
import { unauthenticated } from './refusals.ts'
import type { TokenLookup } from './token-lookup.ts'

/** Tells whose credential it is; see {@link authenticate}. */
export type Authenticate = (clientToken: string) => Promise<Identity>

/**
 * Whether a token is good is found out on each use, from what is known of it: a token is refused
 * from the first instant of its expiry on, by the clock of the database.
 *
 * @throws {AppError} `unauthenticated`, always the same one; `unavailable` when nobody can tell
 */
export async function authenticate(
  lookup: TokenLookup,
  clock: DatabaseClock,
  clientToken: string,
): Promise<Identity> {
  if (!isPlausible(clientToken)) throw unauthenticated()
  return identify(lookup, clock, hashToken(clientToken))
}

/** @throws as {@link authenticate} does */
export async function identify(
  lookup: TokenLookup,
  clock: DatabaseClock,
  tokenHash: string,
): Promise<Identity> {
  const found = await lookup.find(tokenHash)
  if (found === 'unknown') throw unauthenticated()
  const { authentication, namespaceKey } = found
  const { expiresAt, metadata } = authentication
  const expiresInMs = expiresAt && toMs(expiresAt) - clock.nowMs()
  if (expiresInMs !== undefined && expiresInMs <= 0) throw unauthenticated()
  return {
    authentication,
    namespaceKey,
    name: metadata[tokenKeys.name] ?? '',
    tokenHash: Buffer.from(tokenHash, 'base64url'),
    expiresInMs: expiresInMs === undefined ? undefined : Math.floor(expiresInMs),
  }
}

function toMs({ seconds, nanos }: Instant): number {
  return seconds * 1000 + nanos / 1e6
}
