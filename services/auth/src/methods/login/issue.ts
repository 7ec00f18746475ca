import { formatSessionCookie } from '@svc/access'
import type { Queryable } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import { type Browser, redirect, setCookie } from '../../credentials/browser.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { endPresentSession } from '../../sessions/present-session.ts'
import { insertLogin, type Login } from './logins.store.ts'

/** Stores something beside a login, in its transaction. */
export type StoreWithLogin = (
  tx: Queryable,
  login: { readonly authenticationId: string; readonly clientToken: string },
) => Promise<void>

/** Makes a session of a login at an identity provider. */
export type IssueLogin = (
  login: Login,
  returnTo: string,
  browser: Browser,
  storeMore?: StoreWithLogin,
) => Promise<{ clientToken: string; authentication: Authentication }>

/**
 * Makes a client token of a login, gives it to the browser as its session, and ends the session that
 * the browser had. The token is in the cookie alone, never in the response.
 */
export function loginIssuer(
  context: Pick<ServiceContext, 'db' | 'revoke' | 'settings' | 'log'>,
): IssueLogin {
  const { db, log } = context
  const { session } = context.settings.authentication
  return async (login, returnTo, browser, storeMore) => {
    const clientToken = generateToken()
    const authentication = await db.transaction(async (tx) => {
      const inserted = await insertLogin(tx, {
        ...login,
        tokenHash: hashToken(clientToken),
        lifetimeMs: session.tokenLifetime,
        idleTimeoutMs: session.idleTimeout,
      })
      await storeMore?.(tx, { authenticationId: inserted.id, clientToken })
      return inserted
    })
    await endPresentSession(context, browser)
    log.info({ tokenId: authentication.id, method: login.method }, 'created a session of a login')
    setCookie(browser, formatSessionCookie(session, clientToken, session.tokenLifetime))
    redirect(browser, returnTo)
    return { clientToken: '', authentication }
  }
}
