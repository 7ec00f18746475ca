import t from 'tap'
import { settingsFor } from '../auth.test.support.ts'
import { methodHandlers } from './methods.ts'

const anyUrl = 'postgres://svc@127.0.0.1/svc'

t.test('lists all five methods, whether enabled or not', async (t) => {
  const { methods } = settingsFor(anyUrl).authentication
  const list = await methodHandlers(methods).listMethods()
  t.strictSame(
    list.methods.map(({ method, enabled, sessionCompatible }) => [
      method,
      enabled,
      sessionCompatible,
    ]),
    [
      ['METHOD_TOKEN', true, false],
      ['METHOD_CODEHOST', false, true],
      ['METHOD_OIDC', false, true],
      ['METHOD_ORCHESTRATOR', false, false],
      ['METHOD_JWT', false, false],
    ],
  )
})

t.test('tells where a login begins and ends, also of methods that are not enabled', async (t) => {
  const { methods } = settingsFor(anyUrl).authentication
  const list = await methodHandlers(methods).listMethods()
  t.strictSame(
    list.methods.flatMap(({ metadata }) => (metadata === undefined ? [] : [metadata])),
    [
      {
        authorize_url: '/auth/v1/method/codehost/authorize',
        callback_url: '/auth/v1/method/codehost/callback',
      },
      { providers: {} },
    ],
  )
})

t.test('says so when static tokens are not enabled', async (t) => {
  const env = { SVC_AUTHENTICATION_METHODS_TOKEN_ENABLED: 'false' }
  const { methods } = settingsFor(anyUrl, env).authentication
  t.equal((await methodHandlers(methods).listMethods()).methods[0]?.enabled, false)
})

t.test('names the providers, and nothing that is not public', async (t) => {
  const oidc = 'SVC_AUTHENTICATION_METHODS_OIDC'
  const settings = settingsFor(anyUrl, {
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com',
    [`${oidc}_ENABLED`]: 'true',
    [`${oidc}_PROVIDERS_ACCOUNTS_ISSUER_URL`]: 'https://accounts.example.com',
    [`${oidc}_PROVIDERS_ACCOUNTS_CLIENT_ID`]: 'flags',
    [`${oidc}_PROVIDERS_ACCOUNTS_CLIENT_SECRET`]: 'a-secret',
    [`${oidc}_PROVIDERS_ACCOUNTS_DISPLAY_NAME`]: 'Example Accounts',
  })
  const list = await methodHandlers(settings.authentication.methods).listMethods()
  t.strictSame(list.methods[2], {
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
