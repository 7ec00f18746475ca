import { Method } from '@svc/proto/auth/v1/authentications'
import { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import type { ServiceContext } from '../../credentials/context.ts'
import { callbackUrl, openLogins } from '../login/logins.ts'
import type { AuthMethod } from '../method.ts'
import { reasonOf } from './failures.ts'
import { findIdToken } from './id-tokens.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'
import { logoutUrl } from './logout-url.ts'
import { oidcHandlers } from './oidc.rpc.ts'
import { Provider } from './provider.ts'
import { type OidcSettings, oidcSection } from './settings.ts'

/** Logins at OpenID providers. */
export const oidcMethod: AuthMethod<'oidc', OidcSettings> = {
  id: Method.METHOD_OIDC,
  section: 'oidc',
  settings: oidcSection,
  isInteractive: true,
  describe: ({ providers }) => ({
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, { displayName = name }]) => {
        const path = `/auth/v1/method/oidc/${name}`
        const authorize_url = `${path}/authorize`
        const callback_url = `${path}/callback`
        return [name, { authorize_url, callback_url, display_name: displayName }]
      }),
    ),
  }),

  async open(settings, context) {
    const { db, log } = context
    warnOfPatterns(settings, log)
    const providers = openProviders(settings, context)
    const isAllowed = oidcPolicy(settings)
    const logins = await openLogins(context)
    return {
      isAllowed,
      serve: (server) =>
        server.add(OidcServiceDefinition, oidcHandlers({ providers, isAllowed, logins, log })),
      async prepareSignOut(session) {
        const idToken = await findIdToken(db, session)
        const endSessionUrl = async (provider: string) =>
          providers.get(provider)?.endSessionUrl(idToken)
        return () => logoutUrl(session, endSessionUrl, log)
      },
    }
  },
}

/**
 * Each provider is tried at once, so that the log has what is wrong with one before the first login.
 * Nothing waits for that.
 */
function openProviders(
  { providers }: OidcSettings,
  { settings, nowMs, log }: ServiceContext,
): ReadonlyMap<string, Provider> {
  return new Map(
    Object.entries(providers).map(([name, section]) => {
      const path = `/auth/v1/method/oidc/${name}/callback` as const
      const redirectUri = callbackUrl(section.redirectAddress, settings, path)
      const provider = new Provider(name, section, redirectUri, nowMs)
      provider.prepare().catch((error: unknown) => {
        const reason = reasonOf(error)
        log.warn({ provider: name, reason }, 'logins at this provider are not possible at present')
      })
      return [name, provider]
    }),
  )
}
