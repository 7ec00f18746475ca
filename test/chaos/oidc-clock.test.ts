import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { type Behaviour, startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { clockAhead, startServiceProcess } from '../support/service-process.ts'

for (const minutes of [-10, 10]) {
  t.test(
    `an auth service whose clock is ${minutes} minutes ahead lets people log in`,
    async (t) => {
      const mock = await startMockProvider(t)
      const { url } = await createTestDatabase(t)
      const env = {
        ...oidcEnv('https://flags.example.com', { good: { issuer: mock.issuer('good') } }),
        SVC_DB_URL: url,
      }
      const auth = await startServiceProcess(t, 'auth', {
        ...env,
        NODE_OPTIONS: clockAhead(minutes),
      })
      const gateway = await startServiceProcess(t, 'gateway', {
        ...env,
        SVC_AUTH_ADDRESS: `127.0.0.1:${auth.port}`,
        SVC_SERVER_HOST: '127.0.0.1',
        SVC_SERVER_HTTP_PORT: '0',
      })
      const logIn = async (behaviour: Behaviour = {}) => {
        const browser = openBrowser(`http://127.0.0.1:${gateway.port}`)
        const back = mock.answer(await beginLogin(browser, 'good'), behaviour)
        return (await endLogin(browser, back)).status
      }
      const now = Math.floor(Date.now() / 1000)
      t.equal(await logIn(), 302)
      t.equal(await logIn({ claims: (usual) => ({ ...usual, exp: now - 60 }) }), 401, 'expired')
      t.equal(await logIn({ claims: (usual) => ({ ...usual, iat: now + 120 }) }), 401, 'not yet')
    },
  )
}
