import { formatSessionCookie, isAddressWithin } from '@svc/access'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Session } from '@svc/proto/auth/v1/sessions'
import { AppError, invalidField } from '@svc/runtime'
import { type Browser, setCookie } from '../credentials/browser.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { unauthenticated, wrongAddress } from '../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../credentials/records/token.ts'
import { endPresentSession } from './present-session.ts'
import { insertSession } from './sessions.store.ts'

/**
 * Makes a session of a static token for a browser, and ends the session that it had. The cookie never
 * holds the static token itself.
 *
 * @throws {AppError} `unauthenticated`; `permission_denied` for credentials of other methods, and from
 *   an address that the token does not allow
 */
export async function signIn(
  context: Pick<ServiceContext, 'authenticate' | 'db' | 'revoke' | 'settings'>,
  token: string,
  browser: Browser,
): Promise<Session> {
  if (token === '') throw invalidField('token', 'must not be empty')
  const { session } = context.settings.authentication
  const caller = await context.authenticate(token)
  const { authentication, expiresInMs = Number.POSITIVE_INFINITY, isSession } = caller
  if (authentication?.method !== Method.METHOD_TOKEN || isSession) throw notStatic()
  const { allowedAddresses } = authentication
  const address = browser.get('svc-client-address') ?? ''
  if (allowedAddresses.length > 0 && !isAddressWithin(allowedAddresses, address)) {
    throw wrongAddress(caller)
  }
  const clientToken = generateToken()
  const stored = await insertSession(context.db, {
    tokenHash: hashToken(clientToken),
    parentId: authentication.id,
    parentHash: hashToken(token),
    lifetimeMs: session.tokenLifetime,
    idleTimeoutMs: session.idleTimeout,
  })
  if (stored === undefined) throw unauthenticated()
  await endPresentSession(context, browser)
  const maxAgeMs = Math.min(session.tokenLifetime, expiresInMs)
  setCookie(browser, formatSessionCookie(session, clientToken, maxAgeMs))
  return { ...stored.session, current: true }
}

function notStatic(): AppError {
  return new AppError('permission_denied', 'not_a_static_token', 'only static tokens sign in here')
}
