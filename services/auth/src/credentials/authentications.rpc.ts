import { clearSessionCookie } from '@svc/access'
import { formatInstant } from '@svc/database'
import { type AuthenticationServiceDefinition, Method } from '@svc/proto/auth/v1/authentications'
import type { Handlers } from '@svc/rpc'
import { AppError, invalidField, notFound } from '@svc/runtime'
import { setCookie } from './browser.ts'
import { requireGlobal, requireTokenManagerUnlessFirst } from './callers.ts'
import type { ServiceContext } from './context.ts'
import {
  findAuthentication,
  isStorable,
  listAuthentications,
} from './records/authentications.store.ts'
import { checkInstant } from './records/instants.ts'
import { parsePageToken } from './records/page-token.ts'
import { pageSize, toPage } from './records/pages.ts'
import { unauthenticated } from './records/refusals.ts'
import { logToken } from './records/token-log.ts'
import { deleteToken, shortenToken } from './revocations/revoked-tokens.store.ts'

export function authenticationHandlers(context: ServiceContext) {
  const { db, revoke, settings, log } = context
  return {
    async listAuthentications({ method, limit, pageToken }, call) {
      await requireTokenManagerUnlessFirst(context, call)
      const size = pageSize(limit)
      const found = await listAuthentications(db, {
        method: method === Method.METHOD_NONE ? undefined : method,
        after: parsePageToken(pageToken),
        limit: size + 1,
      })
      const { items, nextPageToken } = toPage(found, size)
      return { authentications: items.map(({ authentication }) => authentication), nextPageToken }
    },

    async getAuthentication({ id }, call) {
      await requireTokenManagerUnlessFirst(context, call)
      const authentication = isStorable(id) ? await findAuthentication(db, id) : undefined
      if (authentication === undefined) {
        throw notFound('authentication', `authentication "${id}" not found`)
      }
      return authentication
    },

    async deleteAuthentication({ id }, call) {
      const caller = await requireTokenManagerUnlessFirst(context, call)
      if (!isStorable(id)) return {}
      const [deleted] = await revoke((tx) => deleteToken(tx, id))
      if (deleted !== undefined) logToken(log, 'deleted a token', deleted, caller)
      return {}
    },

    async getSelf(_request, call) {
      const { authentication } = await requireGlobal(context, call)
      if (authentication?.id === '') return authentication
      return existing(await findAuthentication(db, authentication?.id ?? ''))
    },

    async expireSelf({ expiresAt }, call) {
      const caller = await requireGlobal(context, call)
      const id = caller.authentication?.id ?? ''
      if (id === '') throw notStored()
      if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
      const [ended] = await revoke((tx) => shortenToken(tx, id, expiresAt))
      if (ended !== undefined) {
        const expires = formatInstant(ended.validUntil)
        logToken(log, 'made a token expire', ended, caller, { expires })
        setCookie(call, clearSessionCookie(settings.authentication.session))
        return {}
      }
      existing(await findAuthentication(db, id))
      throw invalidField('expiresAt', 'must not be later than the present expiry')
    },
  } satisfies Handlers<AuthenticationServiceDefinition>
}

/** A JWT has no record, and thus no id: only its issuer decides how long it is valid. */
function notStored(): AppError {
  const message = 'a JWT cannot be made to expire here: it is valid until its exp'
  return new AppError('failed_precondition', 'jwt_not_stored', message)
}

/** The caller's own record may have been deleted since the credential was looked up. */
function existing<T>(authentication: T | undefined): T {
  if (authentication === undefined) throw unauthenticated()
  return authentication
}
