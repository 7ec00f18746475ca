import { isJwtShaped } from '@svc/access'
import { isObject } from '@svc/contract'
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { algorithms } from '../algorithms.ts'
import type { ProviderSettings } from './settings.ts'

/** A logout: of one session, or of all sessions of a subject. */
export interface Logout {
  readonly tokenId: string
  readonly subject: string | undefined
  readonly sessionId: string | undefined
  /** Upper limit of the token's validity, for which a replay has to be refused. */
  readonly lifetimeMs: number
}

/** Maximum age: providers send logout tokens at once and retry a few times. */
const maxAgeSeconds = 300
const clockToleranceSeconds = 30

const event = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * OpenID Connect Back-Channel Logout 1.0, section 2.6.
 *
 * @returns `undefined` when it is not a valid logout token of this provider for this service
 */
export async function readLogoutToken(
  token: string,
  keys: unknown,
  settings: ProviderSettings,
  nowMs: number,
): Promise<Logout | undefined> {
  if (!isJwtShaped(token)) return undefined
  try {
    // The library checks the form of the set.
    const keySet = createLocalJWKSet(keys as JSONWebKeySet)
    const { payload, protectedHeader } = await jwtVerify(token, keySet, {
      issuer: settings.issuerUrl ?? '',
      audience: settings.clientId ?? '',
      algorithms: [algorithms[settings.idTokenAlgorithm]],
      requiredClaims: ['iat', 'jti'],
      maxTokenAge: maxAgeSeconds,
      clockTolerance: clockToleranceSeconds,
      currentDate: new Date(nowMs),
    })
    const { typ } = protectedHeader
    const isTyped = typ === undefined || /^(application\/)?(logout\+jwt|jwt)$/i.test(typ)
    return isTyped ? toLogout(payload) : undefined
  } catch {
    // The errors of the library hold claims of the token.
    return undefined
  }
}

function toLogout({ events, jti, nonce, sid, sub }: JWTPayload): Logout | undefined {
  const isLogout = isObject(events) && Object.hasOwn(events, event) && isObject(events[event])
  // Section 2.4 forbids a nonce, so that an ID token cannot pass for a logout token.
  if (!isLogout || nonce !== undefined || !isText(jti)) return undefined
  if (![sub, sid].every((one) => one === undefined || isText(one))) return undefined
  if (sub === undefined && sid === undefined) return undefined
  const lifetimeMs = (maxAgeSeconds + 2 * clockToleranceSeconds) * 1000
  return { tokenId: jti, subject: sub, sessionId: isText(sid) ? sid : undefined, lifetimeMs }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1024 && !value.includes('\0')
}
