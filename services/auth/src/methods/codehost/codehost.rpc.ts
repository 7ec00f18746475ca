import type { CodehostServiceDefinition } from '@svc/proto/auth/v1/codehost'
import type { Handlers } from '@svc/rpc'
import type { Logger } from '@svc/runtime'
import { sendTo, wantsHtml } from '../../credentials/browser.ts'
import { unauthenticated } from '../../credentials/records/refusals.ts'
import type { Fetch } from '../../outbound/outbound.ts'
import type { Flows } from '../login/flow.ts'
import type { IssueLogin } from '../login/issue.ts'
import { admittedBy, isRestricted } from './access.ts'
import { accountMetadata } from './account.ts'
import { readAccount, readMemberships } from './api.ts'
import { insertMembership } from './memberships.store.ts'
import { authorizeUrl, exchangeCode, type OauthParts } from './oauth.ts'
import { sealAccessToken } from './sealed-access-token.ts'
import type { CodehostSettings } from './settings.ts'

/** All that is asked of the code host for one login: whoever waits is told within six seconds. */
const loginTimeoutMs = 5000

export interface CodehostParts {
  readonly settings: CodehostSettings
  readonly oauth: OauthParts
  readonly fetch: Fetch
  readonly flows: Flows
  readonly issue: IssueLogin
  readonly log: Logger
}

export function codehostHandlers(parts: CodehostParts) {
  const { settings, oauth, fetch, flows, issue, log } = parts
  const { apiUrl, serverUrl } = settings
  const place = { name: 'codehost', issuer: serverUrl }
  const restricted = isRestricted(settings)
  const readsMemberships = settings.scopes.includes('read:org')

  return {
    async authorize({ state }, browser) {
      const flow = flows.begin(place, state, browser)
      const url = await authorizeUrl(oauth, flow)
      if (wantsHtml(browser)) sendTo(browser, url)
      return { authorizeUrl: url }
    },

    async callback(answer, browser) {
      const flow = await flows.finish(place, answer.state, browser)
      const signal = AbortSignal.timeout(loginTimeoutMs)
      const accessToken = await exchangeCode(oauth, flow, answer, signal)
      const api = { apiUrl, accessToken, fetch, signal }
      const account = await readAccount(api)
      const memberships = readsMemberships ? await readMemberships(api) : noMemberships
      const admitted = admittedBy(settings, memberships)
      if (admitted === undefined) {
        log.info({ subject: account.id }, 'refused a login: no member of what is allowed')
        throw unauthenticated()
      }
      const login = {
        method: 'METHOD_CODEHOST',
        metadata: accountMetadata(account, readsMemberships ? admitted : undefined),
        issuer: serverUrl,
        subject: String(account.id),
      } as const
      return issue(login, flow.returnTo, browser, async (tx, made) => {
        if (!restricted) return
        await insertMembership(tx, made.authenticationId, sealAccessToken(accessToken, made))
      })
    },
  } satisfies Handlers<CodehostServiceDefinition>
}

const noMemberships = { organizations: [], teams: [] }
