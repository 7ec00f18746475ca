import type { Members } from './compact.ts'
import { refused } from './refusals.ts'

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
 * @throws {AppError} `unauthenticated` when one is missing or of another type
 */
export function readRegisteredClaims(claims: Members): RegisteredClaims {
  // RFC 8417 section 2.2: what has events tells of something; it lets nobody in.
  if (claims.has('events')) throw refused('wrong_claims')
  checkAudience(claims.get('aud'))
  readTime(claims, 'nbf')
  return {
    issuer: required(readText(claims, 'iss')),
    subject: required(readText(claims, 'sub')),
    expiresAt: required(readTime(claims, 'exp')),
    issuedAt: readTime(claims, 'iat'),
    id: readText(claims, 'jti'),
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw refused('missing_claim')
  return value
}

function checkAudience(aud: unknown): void {
  if (aud === undefined) throw refused('missing_claim')
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
