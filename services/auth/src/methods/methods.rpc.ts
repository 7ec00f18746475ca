import type { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers } from '@svc/rpc'
import { type AuthSettings, methods } from './methods.ts'

export function methodHandlers(settings: AuthSettings['authentication']['methods']) {
  const list = methods.map(({ id, section, isInteractive, describe }) => {
    const metadata = describe?.(settings[section])
    return {
      method: id,
      enabled: settings[section].enabled,
      sessionCompatible: isInteractive,
      ...(metadata && { metadata }),
    }
  })
  return {
    listMethods: async () => ({ methods: list }),
  } satisfies Handlers<MethodServiceDefinition>
}
