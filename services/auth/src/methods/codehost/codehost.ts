import type { Queryable } from '@svc/database'
import { Method } from '@svc/proto/auth/v1/authentications'
import { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import type { Handlers } from '@svc/rpc'
import { AppError } from '@svc/runtime'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import { deleteToken } from '../../credentials/revocations/revoked-tokens.store.ts'
import { systemOrigin } from '../../events/event.ts'
import { openOutbound } from '../../outbound/outbound.ts'
import { type LoginAdapter, openLogins } from '../login/logins.ts'
import { openForLogin, type SealedFor, sealForLogin } from '../login/seal.ts'
import { redirectUri } from '../login/settings.ts'
import type { AuthMethod } from '../method.ts'
import { admittedBy, isRestricted } from './access.ts'
import { accountMetadata, accountName } from './account.ts'
import { readAccount, readMemberships } from './api.ts'
import { apiUrlKey, codehostPolicy } from './login-policy.ts'
import { MembershipChecks } from './membership-checks.ts'
import { findSealedAccessToken, insertMembership } from './memberships.store.ts'
import { authorizeUrl, exchangeCode, type OauthClient } from './oauth.ts'
import { type CodehostSettings, codehostSection } from './settings.ts'

const path = '/auth/v1/method/codehost'

/** Logins at a code host, and the checks of their memberships. */
export const codehostMethod: AuthMethod<'codehost', CodehostSettings> = {
  id: Method.METHOD_CODEHOST,
  section: 'codehost',
  settings: codehostSection,
  isInteractive: true,
  managesTokens: true,
  nameOf: accountName,
  subjectOf: (metadata) => [metadata['io.svc.auth.codehost.sub']],
  describe: () => ({
    authorize_url: `${path}/authorize`,
    callback_url: `${path}/callback`,
  }),

  async open(settings, context) {
    const { background: db, log, revoke } = context
    const oauth = {
      settings,
      redirectUri: redirectUri(settings, context.settings, `${path}/callback`),
      fetch: openOutbound('codehost', settings),
      log,
    }
    const adapter = codehostAdapter(oauth)
    const logins = await openLogins(context)
    const handlers = {
      authorize: ({ state }, browser) => logins.begin(adapter, state, browser),
      callback: (response, browser) => logins.finish(adapter, response, browser),
    } satisfies Handlers<CodehostServiceDefinition>
    const checks = new MembershipChecks({
      db,
      intervalMs: settings.recheckInterval,
      isStillAdmitted: (accessToken) => isStillAdmitted(oauth, accessToken),
      end: async (id) => (await revoke((tx) => deleteToken(tx, id), noMember)).length > 0,
      log,
    })
    return {
      isAllowed: codehostPolicy(settings),
      serve: (server) => server.add(CodehostServiceDefinition, handlers),
      ...(isRestricted(settings) && {
        onUse: (id: string, clientToken: string) => checks.noteUse(id, clientToken),
        secretOf: async (db, session) => {
          const sealed = await findSealedAccessToken(db, session.authenticationId)
          return sealed && openForLogin(kind, sealed, session)
        },
        keepSecret: storeAccessToken,
      }),
      close: () => checks.close(),
    }
  },
}

const noMember = {
  type: 'session.ended',
  by: systemOrigin,
  details: { reason: 'membership', provider: 'codehost' },
} as const

/** Time limit of all calls to the code host for one login: the browser has an answer within 6 s. */
const loginTimeoutMs = 5000

function codehostAdapter(oauth: OauthClient): LoginAdapter {
  const { settings, fetch, log } = oauth
  const { apiUrl, serverUrl } = settings
  const readsMemberships = settings.scopes.includes('read:org')
  const keepsToken = isRestricted(settings)
  return {
    name: 'codehost',
    issuer: serverUrl,
    authorizeUrl: (flow) => authorizeUrl(oauth, flow),
    async redeem(response, flow) {
      const signal = AbortSignal.timeout(loginTimeoutMs)
      const accessToken = await exchangeCode(oauth, flow, response, signal)
      const api = { apiUrl, accessToken, fetch, signal }
      const account = await readAccount(api)
      const memberships = readsMemberships ? await readMemberships(api) : noMemberships
      const admitted = admittedBy(settings, memberships)
      if (admitted === undefined) {
        log.info({ subject: account.id }, 'refused a login: no member of what is allowed')
        throw unauthenticated('not_admitted')
      }
      return {
        method: Method.METHOD_CODEHOST,
        metadata: {
          ...accountMetadata(account, readsMemberships ? admitted : undefined),
          ...(keepsToken && { [apiUrlKey]: apiUrl }),
        },
        issuer: serverUrl,
        subject: String(account.id),
        ...(keepsToken && {
          storeSecret: (tx, made) => storeAccessToken(tx, made, accessToken),
        }),
      }
    },
  }
}

const kind = 'svc code host access token'

function storeAccessToken(tx: Queryable, login: SealedFor, accessToken: string): Promise<void> {
  return insertMembership(tx, login.authenticationId, sealForLogin(kind, accessToken, login))
}

const noMemberships = { organizations: [], teams: [] }

/** Time limit of all calls to the code host for one check. */
const checkTimeoutMs = 8000

/** An access token that is no longer accepted was revoked, by the code host or by its owner. */
async function isStillAdmitted(
  { settings, fetch }: OauthClient,
  accessToken: string,
): Promise<boolean> {
  const signal = AbortSignal.timeout(checkTimeoutMs)
  try {
    const api = { apiUrl: settings.apiUrl, accessToken, fetch, signal }
    return admittedBy(settings, await readMemberships(api)) !== undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return false
    throw error
  }
}
