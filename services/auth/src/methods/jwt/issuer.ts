import type { KeyObject } from 'node:crypto'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { type Algorithm, toAlgorithm } from '../algorithms.ts'
import { checkClaims } from './claims.ts'
import { type CompactJwt, type Members, refused } from './compact.ts'
import type { IssuerSettings } from './settings.ts'
import { type KeySource, signatureBytes, type WantedKey } from './signing-keys.ts'

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
  readonly validUntilMs: number
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
  return { issuer, subject, claims, validUntilMs: Math.min(...ends) + clockTolerance }
}

/** Types that are accepted where none is set, besides none: of any JWT, of access tokens (RFC 9068). */
const usualTypes = ['jwt', 'at+jwt']

/** Members that change what is signed or how it reads; and, by `cty`, a nested token. */
const refusedMembers = ['crit', 'b64', 'zip', 'enc', 'cty']

/**
 * Reads which key a token names. Keys that come with it (`jwk`, `jku`, `x5c`, `x5u`) are ignored: an
 * attacker can send any.
 *
 * @param type the only accepted `typ`, which jose checks, if one is set
 */
function readHeader(
  header: Members,
  accepted: readonly Algorithm[],
  type: string | undefined,
): WantedKey {
  if (refusedMembers.some((name) => header.has(name))) throw refused('wrong_header')
  if (type === undefined) checkUsualType(header.get('typ'))
  const algorithm = toAlgorithm(header.get('alg'))
  if (algorithm === undefined || !accepted.includes(algorithm)) throw refused('wrong_algorithm')
  const keyId = header.get('kid')
  if (keyId !== undefined && typeof keyId !== 'string') throw refused('wrong_header')
  return { algorithm, keyId }
}

/** RFC 7515 section 4.1.9: in any case, and `application/` may be left out. */
function checkUsualType(typ: unknown): void {
  if (typ === undefined) return
  const short = String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
  if (typeof typ !== 'string' || !usualTypes.includes(short)) throw refused('wrong_type')
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
