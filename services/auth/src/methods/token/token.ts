import { Method } from '@svc/proto/auth/v1/authentications'
import { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import type { AuthMethod } from '../method.ts'
import { bootstrap } from './bootstrap.ts'
import { tokenHandlers } from './tokens.rpc.ts'

/** Static tokens: created by a token manager, and once at the first start. */
export const tokenMethod: AuthMethod<'token'> = {
  id: Method.METHOD_TOKEN,
  section: 'token',
  isInteractive: false,
  async open(context) {
    const { settings, background, log } = context
    const { token } = settings.authentication.methods
    const firstToken = await bootstrap(background, token.bootstrap, log)
    return {
      serve: (server) => server.add(TokenServiceDefinition, tokenHandlers(context)),
      report: firstToken === undefined ? {} : { firstToken },
    }
  },
}
