import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { says } from '../support/faults.ts'
import { startFleet } from '../support/fleet.ts'
import { type Behaviour, startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { oidcClient } from '../support/oidc-provider.ts'
import { findNone, Secrets } from '../support/secrets.ts'

const publicUrl = 'https://flags.example.com'

t.test('what passes in a login is in no log, no row and no answer', async (t) => {
  const mock = await startMockProvider(t)
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: database.url,
    env: {
      ...oidcEnv(publicUrl, { good: { issuer: mock.issuer('good') } }),
      SVC_LOG_LEVEL: 'trace',
      SVC_LOG_REQUESTS: 'true',
    },
  })
  const secrets = new Secrets([['the secret of the client', oidcClient.secret]])
  const plant = (name: string) => secrets.plant(name)
  const answers: string[] = []

  const logIn = async (name: string, behaviour: Behaviour, change = (back: URL) => back) => {
    const browser = openBrowser(...fleet.urls)
    const url = await beginLogin(browser, 'good', `/flags?${name.length}`)
    for (const part of ['state', 'nonce', 'code_challenge']) {
      secrets.set(`${part} of ${name}`, url.searchParams.get(part) ?? '')
    }
    for (const cookie of browser.cookies.values()) secrets.set(`cookie of ${name}`, cookie)
    const back = change(mock.answer(url, behaviour))
    // It is the access token as well.
    secrets.set(`code of ${name}`, back.searchParams.get('code') ?? plant(name))
    const answer = await endLogin(browser, back)
    answers.push(answer.text)
    const token = browser.cookies.get('svc_client_token')
    if (token !== undefined) secrets.set(`token of ${name}`, token)
    return answer.status
  }
  const keep = (name: string) => (token: string) => {
    for (const part of token.split('.')) secrets.set(`${name}, ${part.slice(0, 4)}`, part)
    return token
  }
  const claims = (usual: object) => ({ ...usual, pin: plant('a claim that is not kept') })

  t.equal(
    await logIn('a good login', {
      claims,
      idToken: keep('ID token'),
      token: (answer) => ({ ...answer, refresh_token: plant('refresh token') }),
    }),
    302,
  )
  const failures: Readonly<Record<string, Behaviour>> = {
    'a login of another nonce': {
      claims: (usual) => ({ ...claims(usual), nonce: plant('nonce') }),
    },
    'a login of another audience': { claims: (usual) => ({ ...claims(usual), aud: plant('aud') }) },
    'a login without a signature': {
      claims,
      idToken: (token) => keep('unsigned')(token.slice(0, -10)),
    },
    'a login that ends in an error': {
      token: () =>
        says(400, JSON.stringify({ error: 'invalid_grant', error_description: plant('error') })),
    },
    'a login that ends in HTML': { token: () => says(500, plant('HTML')) },
    'a login without JSON': { token: () => plant('no JSON') },
    'a login with other userinfo': {
      claims: ({ email: _, ...rest }) => claims(rest),
      userinfo: () => ({ sub: plant('sub'), email: plant('email') }),
    },
  }
  for (const [name, behaviour] of Object.entries(failures)) {
    t.not(await logIn(name, behaviour), 302, name)
  }
  const change = (back: URL) => {
    back.search = new URLSearchParams({
      error: 'access_denied',
      error_description: plant('its description'),
      state: back.searchParams.get('state') ?? '',
    }).toString()
    return back
  }
  t.equal(await logIn('a refusal', {}, change), 401)

  const logs = await findNone(t, secrets, { db: database, fleet, answers })
  t.match(logs, 'a login failed', 'what is wrong is told')
})
