import type { Logger } from '@svc/runtime'
import { callbackUrl, type Logins } from '../login/logins.ts'
import type { AuthSettings } from '../settings.ts'
import { oidcAdmission, warnOfPatterns } from './admission.ts'
import { reasonOf } from './failures.ts'
import { oidcHandlers } from './oidc.rpc.ts'
import { Provider } from './provider.ts'

export interface OidcOptions {
  readonly settings: AuthSettings
  readonly logins: Logins
  readonly log: Logger
}

/**
 * The logins at OpenID providers. Each is asked at once whether it can be used, so that what is wrong
 * with one is in the log before anybody wants to log in; nothing waits for that.
 */
export function openOidc({ settings, logins, log }: OidcOptions) {
  const { oidc } = settings.authentication.methods
  warnOfPatterns(oidc, log)
  const providers = new Map(
    Object.entries(oidc.providers).map(([name, provider]) => {
      const path = `/auth/v1/method/oidc/${name}/callback` as const
      const redirectUri = callbackUrl(provider.redirectAddress, settings, path)
      return [name, new Provider(name, provider, redirectUri, logins.nowMs)]
    }),
  )
  for (const [name, provider] of providers) {
    provider.prepare().catch((error: unknown) => {
      log.warn(
        { provider: name, reason: reasonOf(error) },
        'nobody can log in at this provider for now',
      )
    })
  }
  return {
    handlers: oidcHandlers({ providers, admits: oidcAdmission(oidc), logins, log }),
    /** Where a browser logs out at a provider as well, if the provider has such a place. */
    endSessionUrl: async (provider: string, idToken?: string) =>
      providers.get(provider)?.endSessionUrl(idToken),
  }
}
