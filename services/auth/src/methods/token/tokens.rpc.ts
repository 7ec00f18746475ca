import { type Database, formatInstant } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import type { Handlers } from '@svc/rpc'
import { type Logger, notFound } from '@svc/runtime'
import type { Callers } from '../../credentials/callers.ts'
import {
  findAuthentication,
  insertToken,
  isStorable,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { logToken } from '../../credentials/records/token-log.ts'
import { replaceSecret } from '../../credentials/revocations/ended-tokens.store.ts'
import { type RevocationParts, revoke } from '../../credentials/revocations/revoke.ts'
import { toTokenWish } from './new-token.ts'
import { parseOverlap } from './overlap.ts'

export interface TokenParts {
  readonly db: Database
  readonly callers: Callers
  readonly revocation: RevocationParts
  readonly isEnabled: boolean
  readonly log: Logger
}

export function tokenHandlers({ db, callers, revocation, isEnabled, log }: TokenParts) {
  const checkEnabled = () => {
    if (!isEnabled) throw notFound('method', 'static tokens are not enabled')
  }
  return {
    async createToken(request, call) {
      checkEnabled()
      const caller = await callers.admit(call)
      const wish = toTokenWish(request)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const row = await insertToken(db, { ...wish, method: Method.METHOD_TOKEN, tokenHash })
      if (row === undefined) throw new Error('a random token exists already')
      logToken(log, 'created a token', row, caller)
      return { clientToken, authentication: toAuthentication(row) }
    },

    async rotateToken({ id, overlap }, call) {
      checkEnabled()
      const caller = await callers.admit(call)
      const overlapMs = parseOverlap(overlap)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const gone = () => notFound('token', `static token "${id}" not found, or it has expired`)
      if (!isStorable(id)) throw gone()
      const [replaced] = await revoke(revocation, (tx) =>
        replaceSecret(tx, id, tokenHash, overlapMs),
      )
      const authentication = await findAuthentication(db, id)
      if (replaced === undefined || authentication === undefined) throw gone()
      const details = { previousUntil: formatInstant(replaced.refusedFrom) }
      logToken(log, 'gave a token another secret', replaced, caller, details)
      return { clientToken, authentication }
    },
  } satisfies Handlers<TokenServiceDefinition>
}
