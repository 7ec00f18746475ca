import { formatInstant } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import type { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import type { Handlers } from '@svc/rpc'
import { notFound } from '@svc/runtime'
import { requireTokenManagerUnlessFirst } from '../../credentials/callers.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import {
  findAuthentication,
  insertToken,
  isStorable,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { logToken } from '../../credentials/records/token-log.ts'
import { replaceSecret } from '../../credentials/revocations/revoked-tokens.store.ts'
import { parseNewToken } from './new-token.ts'
import { parseOverlap } from './overlap.ts'

export function tokenHandlers(context: ServiceContext) {
  const { db, revoke, log } = context
  return {
    async createToken(request, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      const newToken = parseNewToken(request)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const row = await insertToken(db, { ...newToken, method: Method.METHOD_TOKEN, tokenHash })
      if (row === undefined) throw new Error('a random token exists already')
      logToken(log, 'created a token', row, caller)
      return { clientToken, authentication: toAuthentication(row) }
    },

    async rotateToken({ id, overlap }, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      const overlapMs = parseOverlap(overlap)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const gone = () => notFound('token', `static token "${id}" not found, or it has expired`)
      if (!isStorable(id)) throw gone()
      const [replaced] = await revoke((tx) => replaceSecret(tx, id, tokenHash, overlapMs))
      const authentication = await findAuthentication(db, id)
      if (replaced === undefined || authentication === undefined) throw gone()
      const details = { previousUntil: formatInstant(replaced.validUntil) }
      logToken(log, 'gave a token another secret', replaced, caller, details)
      return { clientToken, authentication }
    },
  } satisfies Handlers<TokenServiceDefinition>
}
