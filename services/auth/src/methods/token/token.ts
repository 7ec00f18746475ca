import { Method } from '@svc/proto/auth/v1/authentications'
import { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import type { AuthMethod } from '../method.ts'
import { bootstrap } from './bootstrap.ts'
import { type TokenSettings, tokenSection } from './settings.ts'
import { tokenHandlers } from './tokens.rpc.ts'

/** Static tokens: created by a token manager, and once at the first start. */
export const tokenMethod: AuthMethod<'token', TokenSettings> = {
  id: Method.METHOD_TOKEN,
  section: 'token',
  settings: tokenSection,
  isInteractive: false,
  async open(settings, context) {
    const firstToken = await bootstrap(context.background, settings.bootstrap, context.log)
    return {
      serve: (server) => server.add(TokenServiceDefinition, tokenHandlers(context)),
      report: firstToken === undefined ? {} : { firstToken },
    }
  },
}
