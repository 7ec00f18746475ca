import { clearSessionCookie } from '@svc/access'
import { formatInstant } from '@svc/database'
import { type AuthenticationServiceDefinition, Method } from '@svc/proto/auth/v1/authentications'
import type { Handlers } from '@svc/rpc'
import { AppError, invalidField, notFound } from '@svc/runtime'
import { setCookie } from './browser.ts'
import {
  findOwnRecord,
  originOf,
  requireGlobal,
  requireTokenManagerUnlessFirst,
} from './callers.ts'
import type { ServiceContext } from './context.ts'
import {
  findAuthentication,
  listAuthentications,
  toAuthentication,
} from './records/authentications.store.ts'
import { checkInstant } from './records/instants.ts'
import { readPage } from './records/pages.ts'
import { logToken } from './records/token-log.ts'
import { deleteToken, shortenToken } from './revocations/revoked-tokens.store.ts'

export function authenticationHandlers(context: ServiceContext) {
  const { db, revoke, settings, log } = context
  return {
    async listAuthentications({ method, ...page }, call) {
      await requireTokenManagerUnlessFirst(context, call)
      const wanted = method === Method.METHOD_NONE ? undefined : method
      const read = await readPage(page, (range) => listAuthentications(db, wanted, range))
      const { items, nextPageToken } = read
      return { authentications: items.map(toAuthentication), nextPageToken }
    },

    async getAuthentication({ id }, call) {
      await requireTokenManagerUnlessFirst(context, call)
      const row = await findAuthentication(db, id)
      if (row === undefined) {
        throw notFound('authentication', `authentication "${id}" not found`)
      }
      return toAuthentication(row)
    },

    async deleteAuthentication({ id }, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      const [deleted] = await revoke((tx) => deleteToken(tx, id), {
        type: 'token.deleted',
        by: originOf(call, caller),
      })
      if (deleted !== undefined) logToken(log, 'deleted a token', deleted, caller)
      return {}
    },

    async getSelf(_request, call) {
      const caller = await requireGlobal(context, call)
      const row = await findOwnRecord(db, caller)
      return row === undefined ? caller.authentication : toAuthentication(row)
    },

    async expireSelf({ expiresAt }, call) {
      const caller = await requireGlobal(context, call)
      const { id } = caller.authentication
      if (id === '') throw notStored()
      if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
      const [ended] = await revoke((tx) => shortenToken(tx, id, expiresAt), {
        type: 'token.expired',
        by: originOf(call, caller),
      })
      if (ended !== undefined) {
        const expires = formatInstant(ended.validUntil)
        logToken(log, 'made a token expire', ended, caller, { expires })
        setCookie(call, clearSessionCookie(settings.authentication.session))
        return {}
      }
      await findOwnRecord(db, caller)
      throw invalidField('expiresAt', 'must not be later than the present expiry')
    },
  } satisfies Handlers<AuthenticationServiceDefinition>
}

/** A JWT has no record, and thus no id: only its issuer decides how long it is valid. */
function notStored(): AppError {
  const message = 'a JWT cannot be made to expire here: it is valid until its exp'
  return new AppError('failed_precondition', 'jwt_not_stored', message)
}
