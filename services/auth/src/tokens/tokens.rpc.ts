import type { Database } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import { type Handlers, type Logger, notFound } from '@svc/runtime'
import { insertToken, toAuthentication } from './authentications.store.ts'
import type { Callers } from './callers.ts'
import { toTokenWish } from './new-token.ts'
import { generateToken, hashToken } from './token.ts'
import { logToken } from './token-log.ts'

export function tokenHandlers(db: Database, callers: Callers, isEnabled: boolean, log: Logger) {
  return {
    async createToken(request, call) {
      if (!isEnabled) throw notFound('method', 'static tokens are not enabled')
      const caller = await callers.admit(call)
      const wish = toTokenWish(request)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const row = await insertToken(db, { ...wish, method: Method.METHOD_TOKEN, tokenHash })
      if (row === undefined) throw new Error('a random token exists already')
      logToken(log, 'created a token', row, caller)
      return { clientToken, authentication: toAuthentication(row) }
    },
  } satisfies Handlers<TokenServiceDefinition>
}
