import { joinSections, type SettingsIn } from '@svc/config'
import type { Method } from '@svc/proto/auth/v1/authentications'
import type { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers } from '@svc/rpc'
import type { Running } from '@svc/runtime'
import type { ServiceContext } from '../credentials/context.ts'
import type { MethodHooks } from '../credentials/lookup/method-hooks.ts'
import type { AuthMethod, OpenMethod } from './method.ts'

/** A line for each method: to add one, add its line, and its folder. */
const list = [
  (await import('./token/token.ts')).tokenMethod,
  (await import('./codehost/codehost.ts')).codehostMethod,
  (await import('./oidc/oidc.ts')).oidcMethod,
  (await import('./orchestrator/orchestrator.ts')).orchestratorMethod,
  (await import('./jwt/jwt.ts')).jwtMethod,
] as const

type Listed = (typeof list)[number]
type Sections = { readonly [M in Listed as M['section']]: M['settings'] }

/** Every authentication method, in the order in which MethodService lists them. */
export const methods: readonly AuthMethod[] = list

const sections = Object.fromEntries(list.map(({ section, settings }) => [section, settings]))

/** Every setting, with those of the methods. Cast, as `fromEntries` loses which is whose. */
export const authSettings = joinSections(sections as Sections)

export type AuthSettings = SettingsIn<typeof authSettings>

/**
 * Opens the enabled methods and adds the hooks of all.
 *
 * @param track is given what has to be closed
 */
export async function openMethods(
  context: ServiceContext<AuthSettings>,
  hooks: Map<Method, MethodHooks>,
  track: (...parts: Running[]) => void,
): Promise<readonly OpenMethod[]> {
  const { settings } = context
  const opened: OpenMethod[] = []
  for (const method of methods) {
    const own = settings.authentication.methods[method.section]
    const open = own.enabled ? await method.open(own, context) : closed(method)
    const { close } = open
    if (close !== undefined) track({ close })
    hooks.set(method.id, { ...hooksOf(method, settings), ...open })
    opened.push(open)
  }
  return opened
}

/** Sessions of a disabled method are refused; tokens that it issued to programs stay valid. */
function closed({ isInteractive }: AuthMethod): OpenMethod {
  return { isAllowed: () => !isInteractive }
}

function hooksOf(method: AuthMethod, { authentication }: AuthSettings): MethodHooks {
  const { section, nameOf, subjectOf } = method
  const settings = authentication.methods[section]
  const managesTokens =
    'tokenManagement' in settings ? settings.tokenManagement : method.managesTokens === true
  return {
    section,
    managesTokens,
    ...(nameOf && { nameOf }),
    ...(subjectOf && { subjectOf }),
  }
}

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
