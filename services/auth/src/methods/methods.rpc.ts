import type { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers } from '@svc/rpc'
import type { MethodSettings } from './method.ts'
import { methods } from './methods.ts'

export function methodHandlers(settings: MethodSettings) {
  const list = methods.map(({ id, section, isInteractive, describe }) => {
    const metadata = describe?.(settings)
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
