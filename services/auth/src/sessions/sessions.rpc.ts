import { clearSessionCookie } from '@svc/access'
import type { Identity } from '@svc/proto/auth/v1/identities'
import type { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import type { CallContext, Handlers } from '@svc/rpc'
import { AppError, invalidArgument } from '@svc/runtime'
import { setCookie } from '../credentials/browser.ts'
import { authenticateCaller, bearerToken, requireTokenManager } from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import { isStorable } from '../credentials/records/authentications.store.ts'
import { parsePageToken } from '../credentials/records/page-token.ts'
import { pageSize, toPage } from '../credentials/records/pages.ts'
import { unauthenticated } from '../credentials/records/refusals.ts'
import { logToken } from '../credentials/records/token-log.ts'
import {
  deleteSessions,
  deleteToken,
  type SessionFilter,
} from '../credentials/revocations/revoked-tokens.store.ts'
import { findSession, listSessions, type StoredSession } from './sessions.store.ts'
import { signIn } from './sign-in.ts'

/** Maximum sessions that one transaction ends, in some 100 ms. */
const batchSize = 1000

export function sessionHandlers(context: ServiceContext) {
  const { db, revoke, hooks, settings, log } = context

  const endAll = async (filter: SessionFilter, caller: Identity): Promise<void> => {
    for (;;) {
      const ended = await revoke((tx) => deleteSessions(tx, filter, batchSize))
      for (const session of ended) logToken(log, 'ended a session', session, caller)
      if (ended.length < batchSize) return
    }
  }
  const clearCookie = (call: CallContext) =>
    setCookie(call, clearSessionCookie(settings.authentication.session))
  const list = async (
    filter: SessionFilter,
    { limit, pageToken }: { readonly limit: number; readonly pageToken: string },
    caller: Identity,
  ) => {
    const size = pageSize(limit)
    const after = parsePageToken(pageToken)
    const found = await listSessions(db, filter, { after, limit: size + 1 })
    const { items, nextPageToken } = toPage(found, size)
    return { sessions: items.map((item) => shown(item, caller)), nextPageToken }
  }

  return {
    async signIn({ token }, call) {
      const session = await signIn(context, token, call)
      const { id = '', metadata = {} } = session.authentication ?? {}
      logToken(log, 'signed in', { id, metadata }, undefined)
      return session
    },

    async getSession(_request, call) {
      const caller = await authenticateCaller(context, call)
      const stored = await findRecord(db, caller)
      if (stored !== undefined) return shown(stored, caller)
      const { authentication, namespaceKey } = caller
      return { authentication, namespaceKey, issuer: '', subject: '', current: true }
    },

    async signOut(_request, call) {
      const caller = await authenticateCaller(context, call)
      if (!caller.isSession || caller.authentication === undefined) throw noSession()
      const { id: authenticationId, method, metadata } = caller.authentication
      const clientToken = bearerToken(call) ?? ''
      const session = { authenticationId, clientToken, metadata }
      const findUrl = await hooks.get(method)?.prepareSignOut?.(session)
      const [ended] = await revoke((tx) => deleteToken(tx, authenticationId))
      if (ended === undefined) throw unauthenticated()
      logToken(log, 'ended a session', ended, caller)
      clearCookie(call)
      return { logoutUrl: (await findUrl?.()) ?? '' }
    },

    async listOwnSessions(request, call) {
      const caller = await authenticateCaller(context, call)
      const own = await ownSessions(db, caller)
      return own === undefined ? { sessions: [], nextPageToken: '' } : list(own, request, caller)
    },

    async deleteOwnSessions(_request, call) {
      const caller = await authenticateCaller(context, call)
      const own = await ownSessions(db, caller)
      if (own !== undefined) await endAll(own, caller)
      if (caller.isSession) clearCookie(call)
      return {}
    },

    async deleteOwnSession({ id }, call) {
      const caller = await authenticateCaller(context, call)
      const own = await ownSessions(db, caller)
      if (own !== undefined && isStorable(id)) await endAll({ ...own, id }, caller)
      if (caller.isSession && id === idOf(caller)) clearCookie(call)
      return {}
    },

    async listSessions({ issuer, subject, ...page }, call) {
      const caller = await requireTokenManager(context, call)
      if (!isStorable(issuer + subject)) return { sessions: [], nextPageToken: '' }
      return list({ issuer: issuer || undefined, subject: subject || undefined }, page, caller)
    },

    async deleteSessions({ issuer, subject, all }, call) {
      const caller = await requireTokenManager(context, call)
      const isOfOne = issuer !== '' && subject !== ''
      if (all ? issuer + subject !== '' : !isOfOne) {
        throw invalidArgument('give issuer and subject, or all=true')
      }
      if (isStorable(issuer + subject)) await endAll(all ? {} : { issuer, subject }, caller)
      return {}
    },
  } satisfies Handlers<SessionServiceDefinition>
}

/** @throws {AppError} when the record was deleted since the credential was looked up */
async function findRecord(
  db: ServiceContext['db'],
  caller: Identity,
): Promise<StoredSession | undefined> {
  const id = idOf(caller)
  if (id === '') return undefined
  const stored = await findSession(db, id)
  if (stored === undefined) throw unauthenticated()
  return stored
}

/** @returns nothing for a caller without a record, which has no sessions */
async function ownSessions(
  db: ServiceContext['db'],
  caller: Identity,
): Promise<SessionFilter | undefined> {
  const stored = await findRecord(db, caller)
  if (stored === undefined) return undefined
  const { issuer, subject } = stored.session
  return issuer === '' ? { parentId: stored.parentId ?? idOf(caller) } : { issuer, subject }
}

function shown({ session }: StoredSession, caller: Identity) {
  return { ...session, current: session.authentication?.id === idOf(caller) }
}

function idOf({ authentication }: Identity): string {
  return authentication?.id ?? ''
}

function noSession(): AppError {
  const message = 'this credential is no session; PUT /auth/v1/self/expire ends other tokens'
  return new AppError('failed_precondition', 'no_session', message)
}
