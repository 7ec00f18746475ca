import { AppError } from '@svc/runtime'

/** The claims of RFC 7519 section 4.1 that a token has to have; `aud` where audiences are named. */
export type RequiredClaim = 'iss' | 'sub' | 'aud' | 'exp'

/** Why a token was refused, for the log of the gateway. */
export type Refusal =
  | 'malformed'
  | 'wrong_header'
  | 'wrong_type'
  | 'wrong_algorithm'
  | 'wrong_claims'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_subject'
  | 'wrong_namespace'
  | `missing_${RequiredClaim}`
  | 'missing_claim'
  | 'expired'
  | 'not_yet_valid'
  | 'too_old'
  | 'unknown_key'
  | 'wrong_signature'
  | 'denied'

/** Whoever presented it is told no more than of any other bad credential. */
export function refused(refusal: Refusal): AppError {
  return new AppError('unauthenticated', `jwt_${refusal}`, 'request was not authenticated')
}

/** Not the same as auth being away, by its reason: other credentials are none the worse for it. */
export function keysUnavailable(): AppError {
  const message = 'the keys of the issuer of this token are unavailable, try again'
  return new AppError('unavailable', 'jwt_keys_unavailable', message)
}
