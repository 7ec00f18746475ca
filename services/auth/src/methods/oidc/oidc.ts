import { Method } from '@svc/proto/auth/v1/authentications'
import { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import { openLogins } from '../login/logins.ts'
import { redirectUri } from '../login/settings.ts'
import type { AuthMethod } from '../method.ts'
import { reasonOf } from './failures.ts'
import { findIdToken } from './id-tokens.store.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'
import { logoutUrl } from './logout-url.ts'
import { oidcHandlers } from './oidc.rpc.ts'
import { Provider } from './provider.ts'
import { type OidcSettings, oidcSection } from './settings.ts'

const pathOf = (provider: string) => `/auth/v1/method/oidc/${provider}`

/** Logins at OpenID providers. */
export const oidcMethod: AuthMethod<'oidc', OidcSettings> = {
  id: Method.METHOD_OIDC,
  section: 'oidc',
  settings: oidcSection,
  isInteractive: true,
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
        const uri = redirectUri(section, context.settings, `${pathOf(name)}/callback`)
        return [name, new Provider(name, section, uri, context.nowMs)]
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
