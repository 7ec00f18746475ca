import { formatSessionCookie } from '@svc/access'
import type { Settings } from '@svc/config'
import type { Queryable } from '@svc/database'
import type { Authentication } from '@svc/proto/auth/v1/authentications'
import type { Logger } from '@svc/runtime'
import { type Browser, presentSession, sendTo, setCookie } from '../../credentials/browser.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { deleteToken } from '../../credentials/revocations/ended-tokens.store.ts'
import { type RevocationParts, revoke } from '../../credentials/revocations/revoke.ts'
import { findLogin, insertLogin, type Login } from './logins.store.ts'

export interface IssueParts {
  readonly revocation: RevocationParts
  readonly session: Settings['authentication']['session']
  readonly log: Logger
}

/** What else to keep of a login, together with it. */
export type KeepMore = (
  tx: Queryable,
  login: { readonly authenticationId: string; readonly clientToken: string },
) => Promise<void>

/** Lets somebody in who has logged in at the far side. */
export type IssueLogin = (
  login: Login,
  returnTo: string,
  browser: Browser,
  keepMore?: KeepMore,
) => Promise<{ clientToken: string; authentication: Authentication }>

/**
 * Makes a client token of a login, gives it to the browser as its session, and ends the session that
 * the browser had before. The token is in the cookie and nowhere else, the answer included.
 */
export function loginIssuer({ revocation, session, log }: IssueParts): IssueLogin {
  return async (login, returnTo, browser, keepMore) => {
    const clientToken = generateToken()
    const authentication = await revocation.db.transaction(async (tx) => {
      const inserted = await insertLogin(tx, {
        ...login,
        tokenHash: hashToken(clientToken),
        lifetimeMs: session.tokenLifetime,
        idleTimeoutMs: session.idleTimeout,
      })
      await keepMore?.(tx, { authenticationId: inserted.id, clientToken })
      return inserted
    })
    await endPresentSession(revocation, browser)
    log.info({ tokenId: authentication.id, method: login.method }, 'somebody logged in')
    setCookie(browser, formatSessionCookie(session, clientToken, session.tokenLifetime))
    sendTo(browser, returnTo)
    return { clientToken: '', authentication }
  }
}

/** Ends the session that a browser has, if it is one: a token that was made by hand stays. */
export async function endPresentSession(parts: RevocationParts, browser: Browser): Promise<void> {
  const token = presentSession(browser)
  if (token === undefined) return
  const id = await findLogin(parts.db, hashToken(token))
  if (id !== undefined) await revoke(parts, (tx) => deleteToken(tx, id))
}
