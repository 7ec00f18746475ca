import { clearSessionCookie } from '@svc/access'
import type { SessionServiceDefinition } from '@svc/proto/auth/v1/sessions'
import type { CallContext, Handlers } from '@svc/rpc'
import { AppError, invalidArgument } from '@svc/runtime'
import { setCookie } from '../credentials/browser.ts'
import {
  authenticateCaller,
  bearerToken,
  type Call,
  findOwnRecord,
  originOf,
  requireTokenManager,
} from '../credentials/callers.ts'
import type { ServiceContext } from '../credentials/context.ts'
import {
  type AuthenticationRow,
  findAuthentication,
  type Holder,
} from '../credentials/records/authentications.store.ts'
import { type PageRequest, readPage } from '../credentials/records/pages.ts'
import { unauthenticated } from '../credentials/records/refusals.ts'
import { logToken } from '../credentials/records/token-log.ts'
import {
  deleteSessions,
  deleteToken,
  type RevokedToken,
  type SessionFilter,
} from '../credentials/revocations/revoked-tokens.store.ts'
import { listSessions, toSession } from './sessions.store.ts'
import { signIn } from './sign-in.ts'

/** Maximum sessions that one transaction ends, in some 100 ms. */
const batchSize = 1000

export function sessionHandlers(context: ServiceContext) {
  const { db, revoke, hooks, settings, log } = context

  /** @param filter nothing for a caller without sessions */
  const list = async (filter: SessionFilter | undefined, page: PageRequest, caller: Holder) => {
    if (filter === undefined) return { sessions: [], nextPageToken: '' }
    const read = await readPage(page, (range) => listSessions(db, filter, range))
    const sessions = read.items.map((row) => toSession(row, caller.authentication.id))
    return { sessions, nextPageToken: read.nextPageToken }
  }
  const endAll = async (filter: SessionFilter | undefined, caller: Holder, call: Call) => {
    const cause = { type: 'session.ended', by: originOf(call, caller) } as const
    for (let count = batchSize; filter !== undefined && count === batchSize; ) {
      const ended = await revoke((tx) => deleteSessions(tx, filter, batchSize), cause)
      for (const one of ended) logToken(log, endingOf(one), one, caller)
      count = ended.filter(({ isSession }) => isSession).length
    }
  }
  /** @returns nothing for a caller without a record, which has no sessions */
  const ownSessions = async (caller: Holder): Promise<SessionFilter | undefined> => {
    const row = await findOwnRecord(db, caller)
    if (row === undefined) return undefined
    const { id, issuer, subject, parentId } = (await sessionOfCli(row, caller)) ?? row
    return issuer === null ? { parentId: parentId ?? id } : { issuer, subject: subject ?? '' }
  }
  /** @returns nothing for a caller that is not the command line with a token of a session */
  const sessionOfCli = async ({ parentId }: Pick<AuthenticationRow, 'parentId'>, caller: Holder) =>
    caller.isSession || parentId === null ? undefined : findAuthentication(db, parentId)
  const clearCookie = (call: CallContext) =>
    setCookie(call, clearSessionCookie(settings.authentication.session))

  return {
    async signIn({ token }, call) {
      const session = await signIn(context, token, call)
      const { id = '', metadata = {} } = session.authentication ?? {}
      logToken(log, 'signed in', { id, metadata }, undefined)
      return session
    },

    async getSession(_request, call) {
      const caller = await authenticateCaller(context, call)
      const row = await findOwnRecord(db, caller)
      if (row !== undefined) return toSession(row, row.id)
      const { authentication, namespaceKey } = caller
      return { authentication, namespaceKey, issuer: '', subject: '', current: true }
    },

    async signOut(_request, call) {
      const caller = await authenticateCaller(context, call)
      const { id: authenticationId, method, metadata } = caller.authentication
      if (!caller.isSession) {
        const row = await findOwnRecord(db, caller)
        if (row === undefined || row.parentId === null) throw noSession()
      }
      const clientToken = bearerToken(call) ?? ''
      const session = { authenticationId, clientToken, metadata }
      const { prepareSignOut } = (caller.isSession && hooks.get(method)) || {}
      const findUrl = await prepareSignOut?.(session)
      const [ended] = await revoke((tx) => deleteToken(tx, authenticationId), {
        type: 'session.signed_out',
        by: originOf(call, caller),
      })
      if (ended === undefined) throw unauthenticated()
      logToken(log, endingOf(ended), ended, caller)
      if (caller.isSession) clearCookie(call)
      return { logoutUrl: (await findUrl?.()) ?? '' }
    },

    async listOwnSessions(page, call) {
      const caller = await authenticateCaller(context, call)
      return list(await ownSessions(caller), page, caller)
    },

    async deleteOwnSessions(_request, call) {
      const caller = await authenticateCaller(context, call)
      await endAll(await ownSessions(caller), caller, call)
      if (caller.isSession) clearCookie(call)
      return {}
    },

    async deleteOwnSession({ id }, call) {
      const caller = await authenticateCaller(context, call)
      const own = await ownSessions(caller)
      await endAll(own && { ...own, id }, caller, call)
      if (caller.isSession && id === caller.authentication.id) clearCookie(call)
      return {}
    },

    async listSessions({ issuer, subject, ...page }, call) {
      const caller = await requireTokenManager(context, call)
      return list({ issuer: issuer || undefined, subject: subject || undefined }, page, caller)
    },

    async deleteSessions({ issuer, subject, all }, call) {
      const caller = await requireTokenManager(context, call)
      const isOfOne = issuer !== '' && subject !== ''
      if (all ? issuer + subject !== '' : !isOfOne) {
        throw invalidArgument('give issuer and subject, or all=true')
      }
      await endAll(all ? {} : { issuer, subject }, caller, call)
      return {}
    },
  } satisfies Handlers<SessionServiceDefinition>
}

const endingOf = ({ isCli }: RevokedToken) =>
  isCli ? 'ended a token of a session' : 'ended a session'

function noSession(): AppError {
  const message = 'this credential is no session; PUT /auth/v1/self/expire ends other tokens'
  return new AppError('failed_precondition', 'no_session', message)
}
