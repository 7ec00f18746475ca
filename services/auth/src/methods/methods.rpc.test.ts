import t from 'tap'
import { settingsFor } from '../auth.test.support.ts'
import { methodHandlers, methods } from './methods.ts'

const anyUrl = 'postgres://svc@127.0.0.1/svc'

/** The methods as a login page gets them. */
const list = async (env?: Record<string, string>) =>
  (await methodHandlers(settingsFor(anyUrl, env).authentication.methods).listMethods()).methods

t.test('lists all five methods, enabled or not, and where a login begins and ends', async (t) => {
  const codehost = {
    authorize_url: '/auth/v1/method/codehost/authorize',
    callback_url: '/auth/v1/method/codehost/callback',
  }
  const off = { enabled: false, sessionCompatible: false }
  const login = { enabled: false, sessionCompatible: true }
  t.strictSame(await list(), [
    { method: 'METHOD_TOKEN', enabled: true, sessionCompatible: false },
    { method: 'METHOD_CODEHOST', ...login, metadata: codehost },
    { method: 'METHOD_OIDC', ...login, metadata: { providers: {} } },
    { method: 'METHOD_ORCHESTRATOR', ...off },
    { method: 'METHOD_JWT', ...off },
  ])
  const [token] = await list({ SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false' })
  t.equal(token?.enabled, false)
})

t.test('names the providers, and nothing that is not public', async (t) => {
  const oidc = 'SVC_AUTHENTICATION_METHODS_OIDC'
  const [, , listed] = await list({
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
    [`${oidc}_ENABLED`]: 'true',
    [`${oidc}_PROVIDERS_ACCOUNTS_ISSUER_URL`]: 'https://accounts.example.com',
    [`${oidc}_PROVIDERS_ACCOUNTS_CLIENT_ID`]: 'flags',
    [`${oidc}_PROVIDERS_ACCOUNTS_CLIENT_SECRET`]: 'a-secret',
    [`${oidc}_PROVIDERS_ACCOUNTS_DISPLAY_NAME`]: 'Example Accounts',
  })
  t.strictSame(listed, {
    method: 'METHOD_OIDC',
    enabled: true,
    sessionCompatible: true,
    metadata: {
      providers: {
        accounts: {
          authorize_url: '/auth/v1/method/oidc/accounts/authorize',
          callback_url: '/auth/v1/method/oidc/accounts/callback',
          display_name: 'Example Accounts',
        },
      },
    },
  })
})

t.test('callers of a method manage tokens where it says so, and of no other', async (t) => {
  const saying = methods.filter(({ managesTokens }) => managesTokens).map(({ section }) => section)
  t.strictSame(saying, ['token', 'codehost', 'oidc'])
})
