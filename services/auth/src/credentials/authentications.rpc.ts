import { clearSessionCookie } from '@svc/access'
import type { Settings } from '@svc/config'
import { type Database, formatInstant } from '@svc/database'
import { type AuthenticationServiceDefinition, Method } from '@svc/proto/auth/v1/authentications'
import type { Handlers } from '@svc/rpc'
import { AppError, invalidField, type Logger, notFound } from '@svc/runtime'
import { checkInstant } from '../methods/token/new-token.ts'
import { setCookie } from './browser.ts'
import type { Callers } from './callers.ts'
import {
  findAuthentication,
  isStorable,
  listAuthentications,
} from './records/authentications.store.ts'
import { parsePageToken } from './records/page-token.ts'
import { pageSize, toPage } from './records/pages.ts'
import { unauthenticated } from './records/refusals.ts'
import { logToken } from './records/token-log.ts'
import { deleteToken, shortenToken } from './revocations/ended-tokens.store.ts'
import { type RevocationParts, revoke } from './revocations/revoke.ts'

export interface AuthenticationParts {
  readonly db: Database
  readonly callers: Callers
  readonly revocation: RevocationParts
  readonly session: Settings['authentication']['session']
  readonly log: Logger
}

export function authenticationHandlers(parts: AuthenticationParts) {
  const { db, callers, revocation, session, log } = parts
  return {
    async listAuthentications({ method, limit, pageToken }, call) {
      await callers.admit(call)
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
      await callers.admit(call)
      const authentication = isStorable(id) ? await findAuthentication(db, id) : undefined
      if (authentication === undefined) {
        throw notFound('authentication', `authentication "${id}" not found`)
      }
      return authentication
    },

    async deleteAuthentication({ id }, call) {
      const caller = await callers.admit(call)
      if (!isStorable(id)) return {}
      const [deleted] = await revoke(revocation, (tx) => deleteToken(tx, id))
      if (deleted !== undefined) logToken(log, 'deleted a token', deleted, caller)
      return {}
    },

    async getSelf(_request, call) {
      const { authentication } = await callers.identify(call)
      if (authentication?.method === Method.METHOD_JWT) return authentication
      return existing(await findAuthentication(db, authentication?.id ?? ''))
    },

    async expireSelf({ expiresAt }, call) {
      const caller = await callers.identify(call)
      if (caller.authentication?.method === Method.METHOD_JWT) throw notEnded()
      if (expiresAt !== undefined) checkInstant('expiresAt', expiresAt)
      const id = caller.authentication?.id ?? ''
      const [ended] = await revoke(revocation, (tx) => shortenToken(tx, id, expiresAt))
      if (ended !== undefined) {
        const expires = formatInstant(ended.refusedFrom)
        logToken(log, 'made a token expire', ended, caller, { expires })
        setCookie(call, clearSessionCookie(session))
        return {}
      }
      existing(await findAuthentication(db, id))
      throw invalidField('expiresAt', 'must not be later than the present expiry')
    },
  } satisfies Handlers<AuthenticationServiceDefinition>
}

/** Nothing is kept of a JWT: who signed it alone can say until when it is good. */
function notEnded(): AppError {
  const message = 'a JWT cannot be made to expire here: it is valid until its exp'
  return new AppError('failed_precondition', 'jwt_not_stored', message)
}

/** The caller's own record may have been deleted since the credential was looked at. */
function existing<T>(authentication: T | undefined): T {
  if (authentication === undefined) throw unauthenticated()
  return authentication
}
