import { openBrowser } from './browser.ts'
import { allowCli } from './cli-login.ts'
import { startCodehost } from './codehost.ts'
import { codehostEnv, logIn, publicUrl } from './codehost-login.ts'
import { call } from './http.ts'
import { startJwtIssuer } from './jwt-issuer.ts'
import type { Test } from './listen.ts'
import { logInAt, oidcEnv } from './oidc-login.ts'
import { startOidcProvider } from './oidc-provider.ts'
import { startOrchestratorApi } from './orchestrator-api.ts'
import { type Stack, startStack } from './stack.ts'

type Headers = Readonly<Record<string, string>>

/** One of the ways to be known. */
export interface AuthMethodFixture {
  readonly name: string
  /** What logins of this kind are bound to, if they are. */
  readonly namespaceKey?: string
  /** Whether what it gets in with is a workload's, which may not manage tokens. */
  readonly isWorkload?: true
  /** Whether it is the session of a browser, which may let the command line log in. */
  readonly isSession?: true
  /** Logs in anew. @returns what its requests carry then */
  logIn(): Promise<Headers>
}

/** A stack that people and programs may log in at in every way that there is. */
export async function startAllAuthMethods(
  t: Test,
  more: Headers = {},
): Promise<Stack & { readonly waysIn: readonly AuthMethodFixture[] }> {
  const people = { ada: { email: 'ada@example.com', email_verified: true } }
  const [provider, codehost, orchestrator, jobs, teams] = await Promise.all([
    startOidcProvider(t, { publicUrl, name: 'accounts', people }),
    startCodehost(t, { id: 42, login: 'octo', organizations: [], teams: [] }),
    startOrchestratorApi(t),
    startJwtIssuer(t, 'ci'),
    startJwtIssuer(t, 'teams'),
  ])
  const stack = await startStack(t, {
    env: {
      ...oidcEnv(publicUrl, { accounts: provider }),
      ...codehostEnv(codehost),
      ...orchestrator.env,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS: 'shop:client bank:*=inside',
      ...jobs.env,
      ...teams.env,
      SVC_AUTHENTICATION_METHODS_JWT_ISSUERS_TEAMS_NAMESPACE_CLAIM: 'team',
      ...more,
    },
  })
  const { urls, api } = stack
  const [url] = urls
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  /** As a page of ours sends requests. */
  const cookie = (cookies: ReadonlyMap<string, string>) => ({
    cookie: `svc_client_token=${cookies.get('svc_client_token')}`,
    'sec-fetch-site': 'same-origin',
  })
  const newToken = async (settings: object) => {
    const { body } = await api('POST', '/auth/v1/method/token', { name: 'caller', ...settings })
    return bearer((body as { clientToken: string }).clientToken)
  }
  const exchange = async (account: string) => {
    const path = '/auth/v1/method/orchestrator/serviceaccount'
    const serviceAccountToken = orchestrator.tokenOf(account, { audiences: ['flags'] })
    const { body } = await call(url, 'POST', path, { serviceAccountToken })
    return bearer((body as { clientToken: string }).clientToken)
  }
  const waysIn: readonly AuthMethodFixture[] = [
    { name: 'static token', logIn: () => newToken({}) },
    {
      name: 'namespaced token',
      namespaceKey: 'inside',
      logIn: () => newToken({ namespaceKey: 'inside' }),
    },
    {
      name: 'OIDC session',
      isSession: true,
      async logIn() {
        const browser = openBrowser(url)
        await logInAt(browser, 'accounts', 'ada')
        return cookie(browser.cookies)
      },
    },
    {
      name: 'code-host session',
      isSession: true,
      async logIn() {
        const browser = openBrowser(url)
        await logIn(browser)
        return cookie(browser.cookies)
      },
    },
    {
      name: 'command line, with the help of a session',
      async logIn() {
        const browser = openBrowser(url)
        await logInAt(browser, 'accounts', 'ada')
        const headers = cookie(browser.cookies)
        const send = (method: string, path: string, body?: unknown) =>
          call(url, method, path, body, headers)
        const { body } = await call(url, 'POST', '/auth/v1/cli-tokens', await allowCli(send))
        return bearer((body as { clientToken: string }).clientToken)
      },
    },
    { name: 'orchestrator', isWorkload: true, logIn: () => exchange('shop:client') },
    {
      name: 'orchestrator, bound to a namespace',
      namespaceKey: 'inside',
      isWorkload: true,
      logIn: () => exchange('bank:teller'),
    },
    { name: 'JWT', isWorkload: true, logIn: async () => bearer(await jobs.sign()) },
    {
      name: 'JWT, bound to a namespace',
      namespaceKey: 'inside',
      isWorkload: true,
      logIn: async () => bearer(await teams.sign({ team: 'inside' })),
    },
  ]
  return { ...stack, waysIn }
}
