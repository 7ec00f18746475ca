import type { Method } from '@svc/proto/auth/v1/authentications'
import type { Running } from '@svc/runtime'
import type { MethodHooks } from '../credentials/lookup/method-hooks.ts'
import { codehostMethod } from './codehost/codehost.ts'
import { jwtMethod } from './jwt/jwt.ts'
import type { AuthMethod, MethodContext, OpenMethod } from './method.ts'
import { oidcMethod } from './oidc/oidc.ts'
import { orchestratorMethod } from './orchestrator/orchestrator.ts'
import type { AuthSettings } from './settings.ts'
import { tokenMethod } from './token/token.ts'

/** All authentication methods, in the order in which MethodService lists them. */
export const methods: readonly AuthMethod[] = [
  tokenMethod,
  codehostMethod,
  oidcMethod,
  orchestratorMethod,
  jwtMethod,
]

/**
 * Opens the enabled methods and adds the hooks of all.
 *
 * @param track is given what has to be closed
 */
export async function openMethods(
  context: MethodContext,
  hooks: Map<Method, MethodHooks>,
  track: (...parts: Running[]) => void,
): Promise<readonly OpenMethod[]> {
  const { settings } = context
  const opened: OpenMethod[] = []
  for (const method of methods) {
    const { enabled } = settings.authentication.methods[method.section]
    const open = enabled ? await method.open(context) : closed(method)
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
