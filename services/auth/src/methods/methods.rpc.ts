import { Method } from '@svc/proto/auth/v1/authentications'
import type { MethodList, MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers } from '@svc/rpc'
import type { OidcSettings } from './oidc/settings.ts'
import type { AuthSettings } from './settings.ts'

export function methodHandlers(settings: AuthSettings['authentication']['methods']) {
  const codehost = '/auth/v1/method/codehost'
  const list: MethodList = {
    methods: [
      {
        method: Method.METHOD_TOKEN,
        enabled: settings.token.enabled,
        sessionCompatible: false,
      },
      {
        method: Method.METHOD_CODEHOST,
        enabled: settings.codehost.enabled,
        sessionCompatible: true,
        metadata: {
          authorize_url: `${codehost}/authorize`,
          callback_url: `${codehost}/callback`,
        },
      },
      {
        method: Method.METHOD_OIDC,
        enabled: settings.oidc.enabled,
        sessionCompatible: true,
        metadata: { providers: describeProviders(settings.oidc.providers) },
      },
      {
        method: Method.METHOD_ORCHESTRATOR,
        enabled: settings.orchestrator.enabled,
        sessionCompatible: false,
      },
      { method: Method.METHOD_JWT, enabled: settings.jwt.enabled, sessionCompatible: false },
    ],
  }
  return { listMethods: async () => list } satisfies Handlers<MethodServiceDefinition>
}

/** What a page needs for a button of each, and nothing more. */
function describeProviders(
  providers: OidcSettings['providers'],
): Record<string, Record<string, string>> {
  return Object.fromEntries(
    Object.entries(providers).map(([name, { displayName = name }]) => {
      const path = `/auth/v1/method/oidc/${name}`
      return [
        name,
        {
          authorize_url: `${path}/authorize`,
          callback_url: `${path}/callback`,
          display_name: displayName,
        },
      ]
    }),
  )
}
