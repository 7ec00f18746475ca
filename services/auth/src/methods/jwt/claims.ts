import type { JWTPayload } from 'jose'
import { type Members, refused } from './compact.ts'
import type { IssuerSettings } from './settings.ts'

/** Maximum lifetime in seconds: a token that is valid for longer is a mistake of its issuer. */
const maxLifetime = 10 * 365 * 24 * 3600

const isText = (value: unknown) => typeof value === 'string' && value !== ''
// A number such as 1e999 is read as infinite.
const isTime = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0

/** The types of RFC 7519 section 4.1. */
const typeOf: Readonly<Record<string, (value: unknown) => boolean>> = {
  iss: isText,
  sub: isText,
  aud: (value) => [value].flat().length > 0 && [value].flat().every(isText),
  exp: isTime,
  nbf: isTime,
  iat: isTime,
  jti: isText,
}

/** Checks what jose does not. The payload has the same claims, as jose has checked them. */
export function checkClaims(
  claims: Members,
  { sub = '', exp = Number.POSITIVE_INFINITY, iat, jti = '' }: JWTPayload,
  settings: IssuerSettings,
  nowMs: number,
): void {
  // RFC 8417 section 2.2: a token with events is a security event, not a credential.
  if (claims.has('events')) throw refused('wrong_claims')
  for (const [name, isRight] of Object.entries(typeOf)) {
    if (claims.has(name) && !isRight(claims.get(name))) throw refused('wrong_claims')
  }
  const now = nowMs / 1000
  if (iat !== undefined && iat > now + settings.clockTolerance / 1000) {
    throw refused('not_yet_valid')
  }
  if (exp > now + maxLifetime) throw refused('wrong_claims')
  if (settings.requiredClaims.some((name) => (claims.get(name) ?? '') === '')) {
    throw refused('missing_claim')
  }
  const { deniedSubjects, deniedIds, notIssuedBefore } = settings
  const isTooOld =
    notIssuedBefore !== undefined && !((iat ?? 0) >= Date.parse(notIssuedBefore) / 1000)
  if (isTooOld || deniedSubjects.includes(sub) || deniedIds.includes(jti)) throw refused('denied')
}
