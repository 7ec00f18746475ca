import { isJwtShaped } from '@svc/access'

/** The last second of the year 9999, beyond which there is no time that the interface can tell. */
const latestExpiry = 253_402_300_799

/**
 * When the token of a service account expires, in seconds since 1970. It says so itself, and is to
 * be believed by those only who have had it checked.
 *
 * @returns nothing for what is no such token: no JWS in three parts, or one that never expires
 */
export function readExpiry(token: string): number | undefined {
  const exp = readClaims(token)?.exp
  return typeof exp === 'number' && exp > 0 && exp <= latestExpiry ? exp : undefined
}

/** The same for the audiences that a token is made for. */
export function readAudiences(token: string): string[] {
  const aud = readClaims(token)?.aud
  return [aud].flat().filter((one) => typeof one === 'string')
}

function readClaims(token: string): Readonly<Record<string, unknown>> | undefined {
  if (!isJwtShaped(token)) return undefined
  const [, payload = ''] = token.split('.')
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isRecord(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
