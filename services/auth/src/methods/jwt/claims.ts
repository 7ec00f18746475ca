import type { Members } from './compact.ts'
import { type RequiredClaim, refused } from './refusals.ts'

/** The claims of RFC 7519 section 4.1, each of the type that it has there. */
export interface RegisteredClaims {
  readonly issuer: string
  readonly subject: string
  /** In seconds since 1970, as the others. */
  readonly expiresAt: number
  readonly issuedAt: number | undefined
  readonly id: string | undefined
}

/**
 * Reads the claims that every token must have, and of those that it may have the ones that are of use.
 *
 * @param needsAudience whether `aud` has to be there; if it is, it has to be of its type either way
 * @throws {AppError} `unauthenticated` when one is missing or of another type
 */
export function readRegisteredClaims(claims: Members, needsAudience: boolean): RegisteredClaims {
  // RFC 8417 section 2.2: what has events tells of something; it lets nobody in.
  if (claims.has('events')) throw refused('wrong_claims')
  checkAudience(claims.get('aud'), needsAudience)
  readTime(claims, 'nbf')
  return {
    issuer: required('iss', readText(claims, 'iss')),
    subject: required('sub', readText(claims, 'sub')),
    expiresAt: required('exp', readTime(claims, 'exp')),
    issuedAt: readTime(claims, 'iat'),
    id: readText(claims, 'jti'),
  }
}

function required<T>(name: RequiredClaim, value: T | undefined): T {
  if (value === undefined) throw refused(`missing_${name}`)
  return value
}

function checkAudience(aud: unknown, isNeeded: boolean): void {
  if (aud === undefined && !isNeeded) return
  if (aud === undefined) throw refused('missing_aud')
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.every(isText) || audiences.length === 0) throw refused('wrong_claims')
}

function readText(claims: Members, name: string): string | undefined {
  const value = claims.get(name)
  if (value !== undefined && !isText(value)) throw refused('wrong_claims')
  return value
}

function readTime(claims: Members, name: string): number | undefined {
  const value = claims.get(name)
  if (value === undefined) return undefined
  // A number such as 1e999 is read as infinite.
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw refused('wrong_claims')
  }
  return value
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
