import { AppError } from '@svc/runtime'

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
  | `missing_${'iss' | 'sub' | 'aud' | 'exp'}`
  | 'missing_claim'
  | 'expired'
  | 'not_yet_valid'
  | 'too_old'
  | 'unknown_key'
  | 'wrong_signature'
  | 'denied'

/** The message is that of every other bad credential; the reason is for the log. */
export function refused(refusal: Refusal): AppError {
  return new AppError('unauthenticated', `jwt_${refusal}`, 'request was not authenticated')
}

/** Its reason sets it apart from an outage of auth: other credentials still work. */
export function keysUnavailable(): AppError {
  const message = 'the keys of the issuer of this token are unavailable, try again'
  return new AppError('unavailable', 'jwt_keys_unavailable', message)
}
