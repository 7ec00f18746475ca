import { Method } from '@svc/proto/auth/v1/authentications'
import type { MethodList, MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers, Settings } from '@svc/runtime'

export function methodHandlers(settings: Settings['authentication']['methods']) {
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
        enabled: false,
        sessionCompatible: true,
        metadata: { providers: {} },
      },
      {
        method: Method.METHOD_ORCHESTRATOR,
        enabled: settings.orchestrator.enabled,
        sessionCompatible: false,
      },
      { method: Method.METHOD_JWT, enabled: false, sessionCompatible: false },
    ],
  }
  return { listMethods: async () => list } satisfies Handlers<MethodServiceDefinition>
}
