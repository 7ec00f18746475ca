import { Method } from '@svc/proto/auth/v1/authentications'
import type { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import type { Handlers } from '@svc/rpc'
import type { Logger } from '@svc/runtime'
import { redirect, wantsHtml } from '../../credentials/browser.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Logins } from '../login/logins.ts'
import { admittedBy, isRestricted } from './access.ts'
import { accountMetadata } from './account.ts'
import { readAccount, readMemberships } from './api.ts'
import { insertMembership } from './memberships.store.ts'
import { authorizeUrl, exchangeCode, type OauthClient } from './oauth.ts'
import { sealAccessToken } from './sealed-access-token.ts'
import type { CodehostSettings } from './settings.ts'

/** Time limit of all calls to the code host for one login: the browser has an answer within 6 s. */
const loginTimeoutMs = 5000

export interface CodehostParts {
  readonly settings: CodehostSettings
  readonly oauth: OauthClient
  readonly logins: Pick<Logins, 'flows' | 'issue'>
  readonly log: Logger
}

export function codehostHandlers({ settings, oauth, logins, log }: CodehostParts) {
  const { flows, issue } = logins
  const { apiUrl, serverUrl } = settings
  const provider = { name: 'codehost', issuer: serverUrl }
  const restricted = isRestricted(settings)
  const readsMemberships = settings.scopes.includes('read:org')

  return {
    async authorize({ state }, browser) {
      const flow = flows.begin(provider, state, browser)
      const url = await authorizeUrl(oauth, flow)
      if (wantsHtml(browser)) redirect(browser, url)
      return { authorizeUrl: url }
    },

    async callback(answer, browser) {
      const flow = await flows.finish(provider, answer.state, browser)
      const signal = AbortSignal.timeout(loginTimeoutMs)
      const accessToken = await exchangeCode(oauth, flow, answer, signal)
      const api = { apiUrl, accessToken, fetch: oauth.fetch, signal }
      const account = await readAccount(api)
      const memberships = readsMemberships ? await readMemberships(api) : noMemberships
      const admitted = admittedBy(settings, memberships)
      if (admitted === undefined) {
        log.info({ subject: account.id }, 'refused a login: no member of what is allowed')
        throw unauthenticated()
      }
      const login = {
        method: Method.METHOD_CODEHOST,
        metadata: accountMetadata(account, readsMemberships ? admitted : undefined),
        issuer: serverUrl,
        subject: String(account.id),
      }
      return issue(login, flow.returnTo, browser, async (tx, made) => {
        if (!restricted) return
        await insertMembership(tx, made.authenticationId, sealAccessToken(accessToken, made))
      })
    },
  } satisfies Handlers<CodehostServiceDefinition>
}

const noMemberships = { organizations: [], teams: [] }
