import { setTimeout as sleep } from 'node:timers/promises'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import type { Handlers } from '@svc/rpc'
import { invalidArgument, type Logger, notFound } from '@svc/runtime'
import { redirect, wantsHtml } from '../../credentials/browser.ts'
import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Logins } from '../login/logins.ts'
import { textOf, toMetadata } from './claims.ts'
import { inShort, providerUnavailable, reasonOf, toRefusal } from './failures.ts'
import { keepIdToken } from './id-tokens.ts'
import { readLogoutToken } from './logout-token.ts'
import type { Provider } from './provider.ts'

/** Time limit of all calls to a provider in one request. */
const timeoutMs = 5000

/** Maximum length of `sub` by OpenID Connect Core 2. */
const maxSubjectLength = 255

export interface OidcParts {
  readonly providers: ReadonlyMap<string, Provider>
  readonly isAllowed: LoginPolicy
  readonly logins: Logins
  readonly log: Logger
}

export function oidcHandlers({ providers, isAllowed, logins, log }: OidcParts) {
  const { flows, issue, endLogins, replays } = logins

  const providerNamed = (name: string) => {
    const provider = providers.get(name)
    if (provider === undefined) throw notFound('provider', 'login provider not found')
    return provider
  }

  /** Calls a provider within the time limit. */
  const ask = async <T>(provider: string, work: () => Promise<T>): Promise<T> => {
    const limit = new AbortController()
    try {
      return await Promise.race([work(), tooLate(limit.signal)])
    } catch (error) {
      log.warn({ provider, reason: reasonOf(error) }, 'a login failed')
      throw toRefusal(error)
    } finally {
      limit.abort()
    }
  }

  return {
    async authorize({ providerName, state }, call) {
      const provider = providerNamed(providerName)
      await ask(providerName, () => provider.prepare())
      const flow = flows.begin(provider.identity, state, call)
      const authorizeUrl = await ask(providerName, () => provider.authorizeUrl(flow))
      if (wantsHtml(call)) redirect(call, authorizeUrl)
      return { authorizeUrl }
    },

    async callback({ providerName, code, state, iss, error }, call) {
      const provider = providerNamed(providerName)
      const flow = await flows.finish(provider.identity, state, call)
      if (error !== '' || code === '') {
        log.warn({ provider: providerName, reason: inShort(error) }, 'the provider refused a login')
        throw unauthenticated()
      }
      const response = { code, state, iss }
      const { claims, idToken } = await ask(providerName, () => provider.redeem(response, flow))
      const subject = textOf(claims, 'sub', maxSubjectLength)
      const metadata = toMetadata(providerName, claims, provider.settings.claims)
      if (!subject || !isAllowed(metadata)) {
        log.warn({ provider: providerName, subject }, 'refused a login; see email_matches')
        throw unauthenticated()
      }
      const { issuer } = provider.identity
      const sessionId = textOf(claims, 'sid')
      return issue(
        { method: Method.METHOD_OIDC, metadata, issuer, subject, sessionId },
        flow.returnTo,
        call,
        (tx, login) => keepIdToken(tx, login, idToken),
      )
    },

    async backchannelLogout({ providerName, logoutToken }) {
      const provider = providerNamed(providerName)
      const keys = await ask(providerName, () => provider.keys())
      const logout = await readLogoutToken(logoutToken, keys, provider)
      if (logout === undefined) throw invalidArgument('the logout token is not valid')
      const { tokenId, subject, sessionId } = logout
      const value = `${provider.identity.name} ${tokenId}`
      if (!(await replays.claim('logout', value, logout.lifetimeMs))) {
        throw invalidArgument('the logout token has been used')
      }
      const count = await endLogins({ issuer: provider.identity.issuer, subject, sessionId })
      log.info({ provider: providerName, count }, 'ended logins at the request of the provider')
      return {}
    },
  } satisfies Handlers<OidcServiceDefinition>
}

async function tooLate(signal: AbortSignal): Promise<never> {
  await sleep(timeoutMs, undefined, { signal, ref: false })
  const cause = new Error(`the provider did not answer in ${timeoutMs} ms`)
  throw providerUnavailable(cause)
}
