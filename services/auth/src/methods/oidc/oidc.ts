import { Method } from '@svc/proto/auth/v1/authentications'
import { OidcServiceDefinition } from '@svc/proto/auth/v1/oidc'
import { callbackUrl, openLogins } from '../login/logins.ts'
import type { AuthMethod, MethodContext } from '../method.ts'
import { reasonOf } from './failures.ts'
import { findIdToken } from './id-tokens.ts'
import { oidcPolicy, warnOfPatterns } from './login-policy.ts'
import { logoutUrl } from './logout-url.ts'
import { oidcHandlers } from './oidc.rpc.ts'
import { Provider } from './provider.ts'

/** Logins at OpenID providers. */
export const oidcMethod: AuthMethod<'oidc'> = {
  id: Method.METHOD_OIDC,
  section: 'oidc',
  isInteractive: true,
  describe: ({ oidc }) => ({
    providers: Object.fromEntries(
      Object.entries(oidc.providers).map(([name, { displayName = name }]) => {
        const path = `/auth/v1/method/oidc/${name}`
        const authorize_url = `${path}/authorize`
        const callback_url = `${path}/callback`
        return [name, { authorize_url, callback_url, display_name: displayName }]
      }),
    ),
  }),

  async open(context) {
    const { settings, db, log } = context
    const { oidc } = settings.authentication.methods
    warnOfPatterns(oidc, log)
    const providers = openProviders(context)
    const isAllowed = oidcPolicy(oidc)
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
function openProviders({ settings, nowMs, log }: MethodContext): ReadonlyMap<string, Provider> {
  const { providers } = settings.authentication.methods.oidc
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
