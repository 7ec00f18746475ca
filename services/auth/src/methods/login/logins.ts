import { formatSessionCookie } from '@svc/access'
import type { Queryable } from '@svc/database'
import {
  type Browser,
  noteReturnTo,
  redirect,
  setCookie,
  wantsHtml,
} from '../../credentials/browser.ts'
import { originOf } from '../../credentials/callers.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import { readFlowKeys } from '../../credentials/keys.store.ts'
import { holderOf } from '../../credentials/lookup/actor.ts'
import { refusalOf } from '../../credentials/records/refusals.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { noteRefusedLogin } from '../../sessions/refused-logins.ts'
import { endReplacedSession, presentSessionHash } from '../../sessions/sign-in.ts'
import { createFlow, type Flow, Flows, type LoginProvider } from './flow.ts'
import { insertLogin, type Login } from './logins.store.ts'
import { ReplayGuard } from './replay-guard.ts'
import type { SealedFor } from './seal.ts'

/** The parameters with which a provider sends the browser back (RFC 6749 4.1.2); `''`: left out. */
export interface AuthorizationResponse {
  readonly code: string
  readonly state: string
  readonly iss?: string | undefined
  readonly error: string
}

export interface Redeemed extends Login {
  /** Stores a secret of the provider beside the login, in its transaction. */
  readonly storeSecret?: (tx: Queryable, login: SealedFor) => Promise<void>
}

/** What differs between providers. Its errors are for the browser. */
export interface LoginAdapter extends LoginProvider {
  /** @returns where the browser logs in */
  authorizeUrl(flow: Flow): Promise<string>
  /** Exchanges the code for the account, and decides whether it may log in. */
  redeem(response: AuthorizationResponse, flow: Flow): Promise<Redeemed>
}

export type Logins = Awaited<ReturnType<typeof openLogins>>

/** Logins at identity providers: the authorization code flow (RFC 6749 section 4.1). */
export async function openLogins(context: ServiceContext) {
  const { db, events, hooks, log, nowMs } = context
  const { session } = context.settings.authentication
  const keys = await readFlowKeys(context.background)
  const replays = new ReplayGuard(context.shared)
  const flows = new Flows({ keys, session, replays, nowMs })

  return {
    replays,

    /** @param returnTo where the browser goes after the login */
    async begin(adapter: LoginAdapter, returnTo: string, browser: Browser) {
      const flow = createFlow(returnTo, presentSessionHash(browser))
      const authorizeUrl = await adapter.authorizeUrl(flow)
      flows.begin(adapter, flow, browser)
      if (wantsHtml(browser)) redirect(browser, authorizeUrl)
      return { authorizeUrl }
    },

    /**
     * Gives the browser a session in place of the one that it had. The client token is in the cookie
     * alone, never in the response.
     */
    async finish(adapter: LoginAdapter, response: AuthorizationResponse, browser: Browser) {
      try {
        return await finish(adapter, response, browser)
      } catch (error) {
        const provider = adapter.name
        // The page of the failed login shows the id.
        const requestId = browser.get('svc-request-id')
        log.info({ requestId, provider, reason: refusalOf(error) ?? 'fault' }, 'a login failed')
        noteRefusedLogin(context, { provider }, error, browser)
        throw error
      }
    },
  }

  async function finish(adapter: LoginAdapter, response: AuthorizationResponse, browser: Browser) {
    const flow = await flows.finish(adapter, response.state, browser)
    noteReturnTo(browser, flow.returnTo)
    const { storeSecret, ...login } = await adapter.redeem(response, flow)
    // Events name a person as the provider does, and not by the record, which is not made yet.
    const by = originOf(browser, holderOf(hooks, { id: '', ...login }))
    // The redirect of a provider on another site comes without the cookie of the session.
    for (const hash of new Set([flow.replaces, presentSessionHash(browser)])) {
      await endReplacedSession(context, hash, by)
    }
    const clientToken = generateToken()
    const authentication = await db.transaction(async (tx) => {
      const inserted = await insertLogin(tx, {
        ...login,
        tokenHash: hashToken(clientToken),
        lifetimeMs: session.tokenLifetime,
        idleTimeoutMs: session.idleTimeout,
      })
      await storeSecret?.(tx, { authenticationId: inserted.id, clientToken })
      const details = { provider: adapter.name }
      await events.append(tx, [{ type: 'login.succeeded', ...by, subject: inserted.id, details }])
      return inserted
    })
    context.counts.noteSuccess(login.method)
    log.info({ tokenId: authentication.id, method: login.method }, 'created a session of a login')
    setCookie(browser, formatSessionCookie(session, clientToken, session.tokenLifetime))
    redirect(browser, flow.returnTo)
    return { clientToken: '', authentication }
  }
}

/** The callback as a URL of the configured address: the host of the request is not trusted. */
export function callbackUrl(redirectUri: string, response: AuthorizationResponse): URL {
  const { code, state, iss = '', error } = response
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ code, state, iss, error })) {
    if (value !== '') url.searchParams.set(name, value)
  }
  return url
}
