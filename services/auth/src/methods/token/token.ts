import { parseDuration } from '@svc/config'
import { formatInstant } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import { TokenServiceDefinition } from '@svc/proto/auth/v1/tokens'
import type { Handlers } from '@svc/rpc'
import { invalidField, notFound } from '@svc/runtime'
import { originOf, requireTokenManagerUnlessFirst } from '../../credentials/callers.ts'
import type { ServiceContext } from '../../credentials/context.ts'
import {
  findAuthentication,
  insertAuthentication,
  toAuthentication,
} from '../../credentials/records/authentications.store.ts'
import { generateToken, hashToken } from '../../credentials/records/token.ts'
import { logToken } from '../../credentials/records/token-log.ts'
import { replaceSecret } from '../../credentials/revocations/revoked-tokens.store.ts'
import type { AuthMethod } from '../method.ts'
import { bootstrap } from './bootstrap.ts'
import { parseNewToken } from './new-token.ts'
import { type TokenSettings, tokenSection } from './settings.ts'
import { tokenCreated } from './token-created.ts'

/** Static tokens: created by a token manager, and once at the first start. */
export const tokenMethod: AuthMethod<'token', TokenSettings> = {
  id: Method.METHOD_TOKEN,
  section: 'token',
  settings: tokenSection,
  isInteractive: false,
  managesTokens: true,
  async open(settings, context) {
    const firstToken = await bootstrap(context.background, settings.bootstrap, context)
    return {
      serve: (server) => server.add(TokenServiceDefinition, tokenHandlers(context)),
      report: firstToken === undefined ? {} : { firstToken },
    }
  },
}

function tokenHandlers(context: ServiceContext) {
  const { db, revoke, events, log } = context
  return {
    async createToken(request, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      const newToken = parseNewToken(request)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const method = Method.METHOD_TOKEN
      const row = await db.transaction(async (tx) => {
        const made = await insertAuthentication(tx, { ...newToken, method, tokenHash })
        if (made === undefined) throw new Error('a random token exists already')
        await events.append(tx, [tokenCreated(made, originOf(call, caller))])
        return made
      })
      logToken(log, 'created a token', row, caller)
      return { clientToken, authentication: toAuthentication(row) }
    },

    async rotateToken({ id, overlap }, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      const overlapMs = parseOverlap(overlap)
      const clientToken = generateToken()
      const tokenHash = hashToken(clientToken)
      const [replaced] = await revoke((tx) => replaceSecret(tx, id, tokenHash, overlapMs), {
        type: 'token.rotated',
        by: originOf(call, caller),
      })
      const row = await findAuthentication(db, id)
      if (replaced === undefined || row === undefined) {
        throw notFound('token', `static token "${id}" not found, or it has expired`)
      }
      const details = { previousUntil: formatInstant(replaced.validUntil) }
      logToken(log, 'gave a token another secret', replaced, caller, details)
      return { clientToken, authentication: toAuthentication(row) }
    },
  } satisfies Handlers<TokenServiceDefinition>
}

/** Maximum overlap: a longer transition is better made with a second token. */
const longestMs = 30 * 24 * 3_600_000

/**
 * How long the previous secret is accepted beside the new one, in milliseconds; 0 for an empty text.
 *
 * @throws {AppError} `invalid_argument`
 */
function parseOverlap(overlap: string): number {
  const ms = overlap === '' ? 0 : parseDuration(overlap)
  if (ms === undefined || ms > longestMs) {
    throw invalidField('overlap', 'must be a duration such as 24h, at most 720h')
  }
  return Math.round(ms)
}
