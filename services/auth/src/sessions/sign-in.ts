import { formatSessionCookie, isAddressWithin } from '@svc/access'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { Session } from '@svc/proto/auth/v1/sessions'
import { AppError, invalidField } from '@svc/runtime'
import { type Browser, presentSession, setCookie } from '../credentials/browser.ts'
import { originOf } from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { actorOf } from '../credentials/lookup/actor.ts'
import type { Holder } from '../credentials/records/authentications.store.ts'
import { unauthenticated } from '../credentials/records/refusals.ts'
import { generateToken, type Hash, hashToken } from '../credentials/records/token.ts'
import { deleteToken } from '../credentials/revocations/revoked-tokens.store.ts'
import type { Origin } from '../events/event.ts'
import { noteRefusedLogin } from './refused-logins.ts'
import { findSessionId, insertSession, toSession } from './sessions.store.ts'

/**
 * Makes a session of a static token for a browser, and ends the session that it had. The cookie never
 * holds the static token itself.
 *
 * @throws {AppError} `unauthenticated`; `permission_denied` for credentials of other methods, and from
 *   an address that the token does not allow
 */
export async function signIn(
  context: ServiceContext,
  token: string,
  browser: Browser,
): Promise<Session> {
  if (token === '') throw invalidField('token', 'must not be empty')
  let holder: Holder | undefined
  try {
    holder = await context.authenticate(token)
    return await signInHolder(context, holder, token, browser)
  } catch (error) {
    const actor = holder && actorOf(holder)
    noteRefusedLogin(context, { provider: 'token', actor }, error, browser)
    throw error
  }
}

async function signInHolder(
  context: ServiceContext,
  holder: Holder,
  token: string,
  browser: Browser,
): Promise<Session> {
  const { authentication, expiresInMs, name, principal } = holder
  const { session } = context.settings.authentication
  // The principal of what was made of a static token, such as a session, is that token.
  if (authentication.method !== Method.METHOD_TOKEN || principal !== authentication.id) {
    throw refusal('not_a_static_token', 'only static tokens sign in here')
  }
  const { allowedAddresses } = authentication
  const address = browser.get('svc-client-address') ?? ''
  if (allowedAddresses.length > 0 && !isAddressWithin(allowedAddresses, address)) {
    throw refusal('address_refused', `token "${name}" may not be used from this address`)
  }
  const clientToken = generateToken()
  const parent = { id: authentication.id, hash: hashToken(token) }
  const by = originOf(browser, holder)
  await endReplacedSession(context, presentSessionHash(browser), by)
  const stored = await context.db.transaction(async (tx) => {
    const made = await insertSession(tx, hashToken(clientToken), parent, session)
    if (made === undefined) throw unauthenticated()
    const details = { provider: 'token' }
    await context.events.append(tx, [{ type: 'login.succeeded', ...by, subject: made.id, details }])
    return made
  })
  context.counts.noteSuccess(Method.METHOD_TOKEN)
  const maxAgeMs = Math.min(session.tokenLifetime, expiresInMs ?? Number.POSITIVE_INFINITY)
  setCookie(browser, formatSessionCookie(session, clientToken, maxAgeMs))
  return toSession(stored, stored.id)
}

function refusal(reason: string, message: string): AppError {
  return new AppError('permission_denied', reason, message)
}

/** Hash of the client token of the present session of the browser. */
export function presentSessionHash(browser: Browser): Hash | undefined {
  const token = presentSession(browser)
  return token === undefined ? undefined : hashToken(token)
}

/**
 * Ends the session that a browser had. A static token in its place stays. To be called before another session
 * is made: when it fails, the browser would not get that one, and no holder could end it.
 *
 * @param hash of its client token
 * @param by whose login takes its place
 */
export async function endReplacedSession(
  { db, revoke }: Pick<ServiceContext, 'db' | 'revoke'>,
  hash: Hash | undefined,
  by: Origin,
): Promise<void> {
  if (hash === undefined) return
  const id = await findSessionId(db, hash)
  if (id === undefined) return
  const cause = { type: 'session.ended', by, details: { reason: 'replaced' } } as const
  await revoke((tx) => deleteToken(tx, id), cause)
}
