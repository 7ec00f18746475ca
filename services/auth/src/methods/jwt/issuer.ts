import type { KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import type { Algorithm } from '../algorithms.ts'
import { checkClaims } from './claims.ts'
import { type CompactJwt, type Members, refused } from './compact.ts'
import { readHeader } from './header.ts'
import type { IssuerSettings } from './settings.ts'
import { type KeySource, signatureBytes } from './signing-keys.ts'

/** An issuer whose tokens are accepted, with the conditions. */
export interface JwtIssuer {
  readonly settings: IssuerSettings
  readonly accepted: readonly Algorithm[]
  readonly keys: KeySource
}

/** The claims of a token that was verified. */
export interface ProvenJwt {
  readonly issuer: string
  readonly subject: string
  readonly claims: Members
  /** When it expires, with the tolerance, in milliseconds since 1970. */
  readonly refusedFromMs: number
}

/**
 * @param jwt the token, which `compact` was read from
 * @param nowMs the time, in milliseconds since 1970
 * @throws {AppError} `unauthenticated`; `unavailable` when the keys cannot be fetched
 */
export async function verifyJwt(
  { settings, accepted, keys }: JwtIssuer,
  jwt: string,
  { header, claims, signature }: CompactJwt,
  nowMs: number,
): Promise<ProvenJwt> {
  const key = await keys.find(readHeader(header, accepted, settings.type))
  if (key === undefined) throw refused('unknown_key')
  if (signature.length !== signatureBytes(key)) throw refused('wrong_signature')
  const payload = await verifyWithJose(jwt, key, settings, nowMs)
  checkClaims(claims, payload, settings, nowMs)
  const { iss: issuer = '', sub: subject = '', exp = 0, iat } = payload
  const { maxTokenAge, clockTolerance } = settings
  const ends = [exp * 1000]
  if (maxTokenAge !== undefined && iat !== undefined) ends.push(iat * 1000 + maxTokenAge)
  return { issuer, subject, claims, refusedFromMs: Math.min(...ends) + clockTolerance }
}

async function verifyWithJose(
  jwt: string,
  key: KeyObject,
  { issuer, audiences, subject, type, clockTolerance, maxTokenAge }: IssuerSettings,
  nowMs: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(jwt, key, {
      currentDate: new Date(nowMs),
      clockTolerance: clockTolerance / 1000,
      requiredClaims: ['iss', 'sub', 'exp'],
      ...(type !== undefined && { typ: type }),
      ...(issuer !== undefined && { issuer }),
      ...(audiences.length > 0 && { audience: [...audiences] }),
      ...(subject !== undefined && { subject }),
      ...(maxTokenAge !== undefined && { maxTokenAge: maxTokenAge / 1000 }),
    })
    return payload
  } catch (error) {
    throw error instanceof errors.JOSEError ? refused(reasonOf(error)) : error
  }
}

const reasonOfClaim: Readonly<Record<string, string>> = {
  iss: 'wrong_issuer',
  aud: 'wrong_audience',
  sub: 'wrong_subject',
  nbf: 'not_yet_valid',
  iat: 'not_yet_valid',
  typ: 'wrong_type',
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'wrong_signature'
  if (error instanceof errors.JWTExpired) return error.claim === 'iat' ? 'too_old' : 'expired'
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'malformed'
  const { claim, reason } = error
  if (reason === 'missing') return claim === 'iat' ? 'missing_claim' : `missing_${claim}`
  return reason === 'invalid' ? 'wrong_claims' : (reasonOfClaim[claim] ?? 'wrong_claims')
}
