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
 * Reads claims whose presence jose has checked, and checks their types, which it does not.
 *
 * @throws {AppError} `unauthenticated`
 */
export function readRegisteredClaims(claims: Members): RegisteredClaims {
  // RFC 8417 section 2.2: a token with events is a security event, not a credential.
  if (claims.has('events')) throw refused('wrong_claims')
  const optional = <T>(name: string, read: (value: unknown) => T) =>
    claims.has(name) ? read(claims.get(name)) : undefined
  optional('aud', checkAudience)
  optional('nbf', toTime)
  return {
    issuer: toText(claims.get('iss')),
    subject: toText(claims.get('sub')),
    expiresAt: toTime(claims.get('exp')),
    issuedAt: optional('iat', toTime),
    id: optional('jti', toText),
  }
}

function checkAudience(aud: unknown): void {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (audiences.length === 0) throw refused('wrong_claims')
  audiences.forEach(toText)
}

function toText(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw refused('wrong_claims')
  return value
}

function toTime(value: unknown): number {
  // A number such as 1e999 is read as infinite.
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    throw refused('wrong_claims')
  }
  return value
}
