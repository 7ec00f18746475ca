import { formatSessionCookie, isAddressWithin } from '@svc/access'
import type { Settings } from '@svc/config'
import type { Session } from '@svc/proto/auth/v1/sessions'
import { AppError, invalidField } from '@svc/runtime'
import { type Browser, setCookie } from '../credentials/browser.ts'
import type { Authenticate } from '../credentials/lookup/authenticate.ts'
import { unauthenticated, wrongAddress } from '../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../credentials/records/token.ts'
import type { RevocationParts } from '../credentials/revocations/revoke.ts'
import { endPresentSession } from '../methods/login/issue.ts'
import { insertSession } from './sessions.store.ts'

export interface SignInParts {
  readonly authenticate: Authenticate
  readonly revocation: RevocationParts
  readonly settings: Settings['authentication']['session']
}

/**
 * Gives a browser a session of its own that is made of a static token, and ends the one it had before.
 * What lies in the cookie is never the static token itself.
 *
 * @throws {AppError} `unauthenticated`; `permission_denied` for credentials of other kinds, and from
 *   where the token may not be used
 */
export async function signIn(
  { authenticate, revocation, settings }: SignInParts,
  token: string,
  browser: Browser,
): Promise<Session> {
  if (token === '') throw invalidField('token', 'must not be empty')
  const caller = await authenticate(token)
  const { authentication, expiresInMs = Number.POSITIVE_INFINITY, isSession } = caller
  if (authentication?.method !== 'METHOD_TOKEN' || isSession) throw notStatic()
  const { allowedAddresses } = authentication
  const address = browser.get('svc-client-address') ?? ''
  if (allowedAddresses.length > 0 && !isAddressWithin(allowedAddresses, address)) {
    throw wrongAddress(caller)
  }
  const clientToken = generateToken()
  const stored = await insertSession(revocation.db, {
    tokenHash: hashToken(clientToken),
    parentId: authentication.id,
    parentHash: hashToken(token),
    lifetimeMs: settings.tokenLifetime,
    idleTimeoutMs: settings.idleTimeout,
  })
  if (stored === undefined) throw unauthenticated()
  await endPresentSession(revocation, browser)
  const maxAgeMs = Math.min(settings.tokenLifetime, expiresInMs)
  setCookie(browser, formatSessionCookie(settings, clientToken, maxAgeMs))
  return { ...stored.session, current: true }
}

function notStatic(): AppError {
  return new AppError('permission_denied', 'not_a_static_token', 'only static tokens sign in here')
}
