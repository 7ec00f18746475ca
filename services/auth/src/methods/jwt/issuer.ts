import type { KeyObject } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import { acceptedAlgorithms } from '../algorithms.ts'
import { type RegisteredClaims, readRegisteredClaims } from './claims.ts'
import type { CompactJwt, Members } from './compact.ts'
import { readHeader } from './header.ts'
import { type Refusal, refused } from './refusals.ts'
import type { IssuerSettings } from './settings.ts'
import { type KeySource, signatureBytes } from './signing-keys.ts'

/** Maximum lifetime in seconds: a token that is valid for longer is a mistake of its issuer. */
const maxLifetime = 10 * 365 * 24 * 3600

/** An issuer whose tokens are accepted, with the conditions. */
export interface JwtIssuer {
  readonly settings: IssuerSettings
  /**
   * @param jwt the token, which `read` was read from
   * @param nowMs the time, in milliseconds since 1970
   * @returns its claims, which are proven
   * @throws {AppError} `unauthenticated`; `unavailable` when the keys cannot be fetched
   */
  verify(jwt: string, read: CompactJwt, nowMs: number): Promise<ProvenJwt>
}

export interface ProvenJwt extends RegisteredClaims {
  readonly claims: Members
  /** When it expires, with the tolerance, in milliseconds since 1970. */
  readonly refusedFromMs: number
}

export function createIssuer(settings: IssuerSettings, keys: KeySource): JwtIssuer {
  const accepted = acceptedAlgorithms(settings.algorithms)
  return {
    settings,

    async verify(jwt, { header, claims, signature }, nowMs) {
      const key = await keys.find(readHeader(header, accepted, settings.type))
      if (key === undefined) throw refused('unknown_key')
      if (signature.length !== signatureBytes(key)) throw refused('wrong_signature')
      await verifyWithJose(jwt, key, settings, nowMs)
      const registered = readRegisteredClaims(claims)
      checkFurther(claims, registered, settings, nowMs)
      return { ...registered, claims, refusedFromMs: refusedFrom(registered, settings) }
    },
  }
}

async function verifyWithJose(
  jwt: string,
  key: KeyObject,
  settings: IssuerSettings,
  nowMs: number,
): Promise<void> {
  const { issuer, audiences, subject, type, clockTolerance, maxTokenAge } = settings
  try {
    await jwtVerify(jwt, key, {
      currentDate: new Date(nowMs),
      clockTolerance: clockTolerance / 1000,
      requiredClaims: ['iss', 'sub', 'exp'],
      ...(type !== undefined && { typ: type }),
      ...(issuer !== undefined && { issuer }),
      ...(audiences.length > 0 && { audience: [...audiences] }),
      ...(subject !== undefined && { subject }),
      ...(maxTokenAge !== undefined && { maxTokenAge: maxTokenAge / 1000 }),
    })
  } catch (error) {
    throw error instanceof errors.JOSEError ? refused(toRefusal(error)) : error
  }
}

/** What jose does not check. */
function checkFurther(
  claims: Members,
  { subject, id, issuedAt, expiresAt }: RegisteredClaims,
  settings: IssuerSettings,
  nowMs: number,
): void {
  const now = nowMs / 1000
  if (issuedAt !== undefined && issuedAt > now + settings.clockTolerance / 1000) {
    throw refused('not_yet_valid')
  }
  if (expiresAt > now + maxLifetime) throw refused('wrong_claims')
  if (settings.requiredClaims.some((name) => (claims.get(name) ?? '') === '')) {
    throw refused('missing_claim')
  }
  const { deniedSubjects, deniedIds, notIssuedBefore } = settings
  const isTooOld =
    notIssuedBefore !== undefined && !((issuedAt ?? 0) >= Date.parse(notIssuedBefore) / 1000)
  if (
    isTooOld ||
    deniedSubjects.includes(subject) ||
    (id !== undefined && deniedIds.includes(id))
  ) {
    throw refused('denied')
  }
}

function refusedFrom(
  { expiresAt, issuedAt }: RegisteredClaims,
  { maxTokenAge, clockTolerance }: IssuerSettings,
): number {
  const ends = [expiresAt * 1000]
  if (maxTokenAge !== undefined && issuedAt !== undefined) ends.push(issuedAt * 1000 + maxTokenAge)
  return Math.min(...ends) + clockTolerance
}

const missing: ReadonlyMap<string, Refusal> = new Map([
  ['iss', 'missing_iss'],
  ['sub', 'missing_sub'],
  ['aud', 'missing_aud'],
  ['exp', 'missing_exp'],
])

const refusalOfClaim: Readonly<Record<string, Refusal>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  sub: 'wrong_subject',
  nbf: 'not_yet_valid',
  iat: 'not_yet_valid',
  typ: 'wrong_type',
}

function toRefusal(error: errors.JOSEError): Refusal {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong_signature'
  if (error instanceof errors.JWTExpired) return error.claim === 'iat' ? 'too_old' : 'expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error
    if (reason === 'missing') return missing.get(claim) ?? 'missing_claim'
    return reason === 'invalid' ? 'wrong_claims' : (refusalOfClaim[claim] ?? 'wrong_claims')
  }
  return 'malformed'
}
