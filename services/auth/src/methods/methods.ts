import { joinSections, type SettingsIn } from '@svc/config'
import type { Method } from '@svc/proto/auth/v1/authentications'
import type { MethodServiceDefinition } from '@svc/proto/auth/v1/methods'
import type { Handlers } from '@svc/rpc'
import type { Running } from '@svc/runtime'
import type { ServiceContext } from '../credentials/context.ts'
import type { MethodHooks } from '../credentials/lookup/method-hooks.ts'
import { codehostMethod } from './codehost/codehost.ts'
import { jwtMethod } from './jwt/jwt.ts'
import type { AuthMethod, OpenMethod } from './method.ts'
import { oidcMethod } from './oidc/oidc.ts'
import { orchestratorMethod } from './orchestrator/orchestrator.ts'
import { tokenMethod } from './token/token.ts'

const list = [tokenMethod, codehostMethod, oidcMethod, orchestratorMethod, jwtMethod] as const

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

function hooksOf({ section, nameOf }: AuthMethod, { authentication }: AuthSettings): MethodHooks {
  const settings = authentication.methods[section]
  const managesTokens = 'tokenManagement' in settings ? settings.tokenManagement : true
  return { section, managesTokens, ...(nameOf && { nameOf }) }
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
