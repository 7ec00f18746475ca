import { setTimeout as sleep } from 'node:timers/promises'
import { Method } from '@svc/proto/auth/v1/authentications'
import { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import type { Handlers } from '@svc/rpc'
import { type Logger, notFound } from '@svc/runtime'
import type { ServiceContext } from '../../credentials/context.ts'
import type { LoginPolicy } from '../../credentials/lookup/method-hooks.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { type LoginAdapter, type Logins, openLogins } from '../login/logins.ts'
import { redirectUri } from '../login/settings.ts'
import type { AuthMethod } from '../method.ts'
import { backchannelLogout } from './backchannel-logout.ts'
import { textOf, toMetadata } from './claims.ts'
import { inShort, providerUnavailable, reasonOf, toRefusal } from './failures.ts'
import { findIdToken, keepIdToken } from './id-tokens.store.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'
import { Provider } from './provider.ts'
import { type OidcSettings, oidcSection } from './settings.ts'

const pathOf = (provider: string) => `/auth/v1/method/oidc/${provider}`

/** Logins at OpenID providers. */
export const oidcMethod: AuthMethod<'oidc', OidcSettings> = {
  id: Method.METHOD_OIDC,
  section: 'oidc',
  settings: oidcSection,
  isInteractive: true,
  managesTokens: true,
  nameOf: (metadata) => metadata['io.svc.auth.oidc.email'] ?? metadata['io.svc.auth.oidc.name'],
  subjectOf: (metadata) => [
    metadata['io.svc.auth.oidc.provider'],
    metadata['io.svc.auth.oidc.sub'],
  ],
  describe: ({ providers }) => ({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, { displayName = name }]) => {
        const authorize_url = `${pathOf(name)}/authorize`
        const callback_url = `${pathOf(name)}/callback`
        return [name, { authorize_url, callback_url, display_name: displayName }]
      }),
    ),
  }),

  async open(settings, context) {
    const { db, log } = context
    warnOfPatterns(settings, log)
    const providers = new Map(
      Object.entries(settings.providers).map(([name, section]) => {
        const uris = {
          callback: redirectUri(section, context.settings, `${pathOf(name)}/callback`),
          home: redirectUri(section, context.settings, '/'),
        }
        return [name, new Provider(name, section, uris, context.nowMs)]
      }),
    )
    for (const provider of providers.values()) {
      // So that the log has what is wrong before the first login. Nothing waits for it.
      provider.configure().catch((error: unknown) => {
        const reason = reasonOf(error)
        const { name } = provider
        log.warn({ provider: name, reason }, 'logins at this provider are not possible at present')
      })
    }
    const isAllowed = oidcPolicy(settings)
    const handlers = oidcHandlers(context, providers, isAllowed, await openLogins(context))
    return {
      isAllowed,
      serve: (server) => server.add(OidcServiceDefinition, handlers),
      async prepareSignOut(session) {
        const idToken = await findIdToken(db, session)
        const provider = providers.get(session.metadata['io.svc.auth.oidc.provider'] ?? '')
        return () => logoutUrl(provider, idToken, log)
      },
    }
  },
}

/** Time limit of all calls to a provider in one request. */
const timeoutMs = 5000

/** Maximum length of `sub` by OpenID Connect Core 2. */
const maxSubjectLength = 255

function oidcHandlers(
  context: ServiceContext,
  providers: ReadonlyMap<string, Provider>,
  isAllowed: LoginPolicy,
  logins: Logins,
) {
  const { log } = context
  const endLogins = backchannelLogout(context, logins.replays)
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
      await endLogins(provider, await ask(provider, log, () => provider.keys()), logoutToken)
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
        throw unauthenticated('refused_by_provider')
      }
      const { claims, idToken } = await ask(provider, log, () => provider.redeem(response, flow))
      const subject = textOf(claims, 'sub', maxSubjectLength)
      const metadata = toMetadata(name, claims, settings.claims)
      if (!subject || !isAllowed({ metadata, issuer })) {
        log.warn({ provider: name, subject }, 'refused a login; see email_matches')
        throw unauthenticated('not_admitted')
      }
      return {
        method: Method.METHOD_OIDC,
        metadata,
        issuer,
        subject,
        sessionId: textOf(claims, 'sid'),
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

/** Time limit: the session has ended by now, and its browser does not wait for a slow provider. */
const logoutTimeoutMs = 1500

/** @returns where the browser of a session signs out at its provider; empty where that is not offered */
export async function logoutUrl(
  provider: Pick<Provider, 'name' | 'endSessionUrl'> | undefined,
  idToken: string | undefined,
  log: Logger,
): Promise<string> {
  try {
    const timeout = sleep(logoutTimeoutMs, undefined, { ref: false })
    return (await Promise.race([provider?.endSessionUrl(idToken), timeout])) ?? ''
  } catch (error) {
    const name = provider?.name
    log.warn({ err: error, provider: name }, 'cannot find the URL to sign out at the provider')
    return ''
  }
}
