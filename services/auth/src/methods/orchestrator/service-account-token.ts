import { isJwtShaped } from '@svc/access'
import { decodeJwt, type JWTPayload } from 'jose'

/** The last second of the year 9999, the maximum of a Timestamp. */
const latestExpiry = 253_402_300_799

/**
 * Reads the expiry of a service-account token, in seconds since 1970. The claim is unverified: trust it
 * only after a review of the token.
 *
 * @returns `undefined` for anything but a compact JWS that expires
 */
export function readExpiry(token: string): number | undefined {
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' && exp > 0 && exp <= latestExpiry ? exp : undefined
}

/** Reads the audiences of a token, unverified. */
export function readAudiences(token: string): string[] {
  const aud = readClaims(token)?.aud
  return [aud].flat().filter((one) => typeof one === 'string')
}

function readClaims(token: string): JWTPayload | undefined {
  try {
    return isJwtShaped(token) ? decodeJwt(token) : undefined
  } catch {
    return undefined
  }
}
