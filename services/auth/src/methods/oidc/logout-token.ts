import { isJwtShaped } from '@svc/access'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { algorithmNamed, type Provider } from './provider.ts'

/** Who has logged out: a session, or all sessions of somebody. */
export interface Logout {
  readonly tokenId: string
  readonly subject: string | undefined
  readonly sessionId: string | undefined
  /** How long the token might be accepted, had it not been used. */
  readonly lifetimeMs: number
}

/** How old one may be: providers send them at once, and a few times more when nobody answers. */
const maxAgeSeconds = 300
const clockToleranceSeconds = 30

const event = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * OpenID Connect Back-Channel Logout 1.0, section 2.6.
 *
 * @param keys the provider's, as it publishes them
 * @returns nothing when it is not a logout token of this provider for this service
 */
export async function readLogoutToken(
  token: string,
  keys: unknown,
  { nowMs, place, settings }: Pick<Provider, 'nowMs' | 'place' | 'settings'>,
): Promise<Logout | undefined> {
  if (!isJwtShaped(token) || !isKeySet(keys)) return undefined
  try {
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: place.issuer,
      audience: settings.clientId ?? '',
      algorithms: [algorithmNamed(settings.idTokenAlgorithm)],
      requiredClaims: ['iat', 'jti'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(nowMs()),
    })
    const { typ } = protectedHeader
    const isTyped = typ === undefined || /^(application\/)?(logout\+jwt|jwt)$/i.test(typ)
    return isTyped ? toLogout(payload) : undefined
  } catch {
    // The errors of the library hold what the token says.
    return undefined
  }
}

function toLogout({ events, jti, nonce, sid, sub }: JWTPayload): Logout | undefined {
  const isLogout = isObject(events) && Object.hasOwn(events, event) && isObject(events[event])
  // With a nonce it is an ID token that somebody wants to be taken for this.
  if (!isLogout || nonce !== undefined || !isText(jti)) return undefined
  if (![sub, sid].every((one) => one === undefined || isText(one))) return undefined
  if (sub === undefined && sid === undefined) return undefined
  const lifetimeMs = (maxAgeSeconds + 2 * clockToleranceSeconds) * 1000
  return { tokenId: jti, subject: sub, sessionId: isText(sid) ? sid : undefined, lifetimeMs }
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return isObject(value) && Array.isArray(value.keys)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1024 && !value.includes('\0')
}
