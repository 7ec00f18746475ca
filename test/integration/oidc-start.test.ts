import { createTestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startMockProvider } from '../support/mock-provider.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { databaseEnv } from '../support/pooled.ts'
import { startServiceProcess } from '../support/service-process.ts'

const message = 'logins at this provider are not possible at present'

t.test('auth says at its start which providers cannot be used, and starts', async (t) => {
  const mock = await startMockProvider(t)
  mock.setBehaviour('plain', {
    metadata: (usual) => ({ ...usual, code_challenge_methods_supported: ['plain'] }),
  })
  const { url } = await createTestDatabase(t)
  const providers = {
    good: { issuer: mock.issuer('good') },
    plain: { issuer: mock.issuer('plain') },
    away: { issuer: 'http://127.0.0.1:1/away' },
  }
  const auth = await startServiceProcess(t, 'auth', {
    ...oidcEnv('https://flags.example.com', providers),
    ...databaseEnv(url),
    SVC_AUTH_LISTEN: '127.0.0.1:0',
  })
  const warnings = () => auth.lines.filter(({ msg }) => msg === message)
  await waitFor(() => warnings().length >= 2)
  const reasons = new Map(warnings().map(({ provider, reason }) => [provider, String(reason)]))
  t.strictSame([...reasons.keys()].sort(), ['away', 'plain'])
  t.match(reasons.get('plain'), /the provider plain does not know PKCE with S256/)
})
