import { setTimeout as sleep } from 'node:timers/promises'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import type { Handlers } from '@svc/rpc'
import { invalidArgument, type Logger, notFound } from '@svc/runtime'
import type { ServiceContext } from '../../credentials/context.ts'
import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { deleteToken } from '../../credentials/revocations/revoked-tokens.store.ts'
import { findLogins } from '../login/logins.store.ts'
import type { LoginAdapter, Logins } from '../login/logins.ts'
import { textOf, toMetadata } from './claims.ts'
import { inShort, providerUnavailable, reasonOf, toRefusal } from './failures.ts'
import { keepIdToken } from './id-tokens.store.ts'
import { readLogoutToken } from './logout-token.ts'
import type { Provider } from './provider.ts'

/** Time limit of all calls to a provider in one request. */
const timeoutMs = 5000

/** Maximum length of `sub` by OpenID Connect Core 2. */
const maxSubjectLength = 255

export function oidcHandlers(
  { db, log, nowMs, revoke }: ServiceContext,
  providers: ReadonlyMap<string, Provider>,
  isAllowed: LoginPolicy,
  logins: Logins,
) {
  const providerNamed = (name: string) => {
    const provider = providers.get(name)
    if (provider === undefined) throw notFound('provider', 'login provider not found')
    return provider
  }
  const adapterOf = (name: string) => oidcAdapter(providerNamed(name), isAllowed, log)

  return {
    authorize: async ({ providerName, state }, browser) =>
      logins.begin(adapterOf(providerName), state, browser),

    callback: async ({ providerName, ...response }, browser) =>
      logins.finish(adapterOf(providerName), response, browser),

    async backchannelLogout({ providerName, logoutToken }) {
      const provider = providerNamed(providerName)
      const { issuer, settings } = provider
      const keys = await ask(provider, log, () => provider.keys())
      const logout = await readLogoutToken(logoutToken, keys, settings, nowMs())
      if (logout === undefined) throw invalidArgument('the logout token is not valid')
      const value = `oidc/${providerName} ${logout.tokenId}`
      if (!(await logins.replays.claim('logout', value, logout.lifetimeMs))) {
        throw invalidArgument('the logout token has been used')
      }
      const ids = await findLogins(db, issuer, logout)
      for (const id of ids) await revoke((tx) => deleteToken(tx, id))
      const count = ids.length
      log.info({ provider: providerName, count }, 'ended logins at the request of the provider')
      return {}
    },
  } satisfies Handlers<OidcServiceDefinition>
}

function oidcAdapter(provider: Provider, isAllowed: LoginPolicy, log: Logger): LoginAdapter {
  const { name, issuer, settings } = provider
  return {
    name: `oidc/${name}`,
    issuer,
    authorizeUrl: (flow) => ask(provider, log, () => provider.authorizeUrl(flow)),
    async redeem(response, flow) {
      const { code, error } = response
      if (error !== '' || code === '') {
        log.warn({ provider: name, reason: inShort(error) }, 'the provider refused a login')
        throw unauthenticated()
      }
      const { claims, idToken } = await ask(provider, log, () => provider.redeem(response, flow))
      const subject = textOf(claims, 'sub', maxSubjectLength)
      const metadata = toMetadata(name, claims, settings.claims)
      if (!subject || !isAllowed(metadata)) {
        log.warn({ provider: name, subject }, 'refused a login; see email_matches')
        throw unauthenticated()
      }
      const sessionId = textOf(claims, 'sid')
      return {
        login: { method: Method.METHOD_OIDC, metadata, issuer, subject, sessionId },
        storeSecret: (tx, login) => keepIdToken(tx, login, idToken),
      }
    },
  }
}

/** Calls a provider within the time limit. */
async function ask<T>({ name }: Provider, log: Logger, work: () => Promise<T>): Promise<T> {
  const tooLate = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw providerUnavailable(new Error(`the provider did not answer in ${timeoutMs} ms`))
  })
  try {
    return await Promise.race([work(), tooLate])
  } catch (error) {
    log.warn({ provider: name, reason: reasonOf(error) }, 'a login failed')
    throw toRefusal(error)
  }
}
