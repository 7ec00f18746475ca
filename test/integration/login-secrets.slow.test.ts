import { createTestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { type Browser, openBrowser } from '../support/browser.ts'
import { codehostClient, startCodehost } from '../support/codehost.ts'
import { codehostEnv, goThere } from '../support/codehost-login.ts'
import { says } from '../support/faults.ts'
import { startFleet } from '../support/fleet.ts'
import { type Behaviour, startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, oidcEnv } from '../support/oidc-login.ts'
import { oidcClient } from '../support/oidc-provider.ts'
import { findNone, Secrets } from '../support/secrets.ts'
import { comeBack, type DescribedAnswer, toFault } from './login-refusals.fixture.ts'

/** Services that log all they can, and what must not be in it. */
async function open(t: Test, env: Readonly<Record<string, string>>, clientSecret: string) {
  const db = await createTestDatabase(t)
  const all = { ...env, SVC_LOG_LEVEL: 'trace', SVC_LOG_REQUESTS: 'true' }
  const fleet = await startFleet(t, { databaseUrl: db.url, env: all })
  const secrets = new Secrets([['the secret of the client', clientSecret]])
  const answers: string[] = []
  return {
    urls: fleet.urls,
    secrets,
    plant: (name: string) => secrets.plant(name),
    async end(name: string, browser: Browser, back: URL): Promise<number> {
      for (const [part, value] of back.searchParams) secrets.set(`${part} of ${name}`, value)
      for (const cookie of browser.cookies.values()) secrets.set(`cookie of ${name}`, cookie)
      // It is public, and so is the error of a callback.
      for (const part of ['iss', 'error']) secrets.delete(`${part} of ${name}`)
      const { text, status } = await comeBack(browser, back)
      answers.push(text)
      const token = browser.cookies.get('svc_client_token')
      if (token !== undefined) secrets.set(`token of ${name}`, token)
      return status
    },
    findNone: () => findNone(t, secrets, { db, fleet, answers }),
  }
}

t.test('what passes in a login at a provider is in no log, no row and no answer', async (t) => {
  const mock = await startMockProvider(t)
  const env = oidcEnv('https://flags.example.com', { good: { issuer: mock.issuer('good') } })
  const { urls, secrets, plant, end, findNone } = await open(t, env, oidcClient.secret)

  const logIn = async (name: string, behaviour: Behaviour, more: Record<string, string> = {}) => {
    const browser = openBrowser(...urls)
    const url = await beginLogin(browser, 'good', `/flags?${name.length}`)
    for (const part of ['nonce', 'code_challenge']) {
      secrets.set(`${part} of ${name}`, url.searchParams.get(part) ?? '')
    }
    // The code is the access token as well.
    const back = mock.answer(url, behaviour)
    for (const [part, value] of Object.entries(more)) back.searchParams.set(part, value)
    return end(name, browser, back)
  }
  const keep = (name: string) => (token: string) => {
    for (const part of token.split('.')) secrets.set(`${name}, ${part.slice(0, 4)}`, part)
    return token
  }
  const claims = (usual: object) => ({ ...usual, pin: plant('a claim that is not kept') })
  const token = (answer: object) => ({ ...answer, refresh_token: plant('refresh token') })
  t.equal(await logIn('a good login', { claims, idToken: keep('ID token'), token }), 302)

  const error = { error: 'invalid_grant', error_description: plant('error') }
  const failures: Readonly<Record<string, Behaviour>> = {
    'another nonce': { claims: (usual) => ({ ...claims(usual), nonce: plant('nonce') }) },
    'another audience': { claims: (usual) => ({ ...claims(usual), aud: plant('aud') }) },
    'no signature': { claims, idToken: (token) => keep('unsigned')(token.slice(0, -10)) },
    'an error': { token: () => says(400, JSON.stringify(error)) },
    HTML: { token: () => says(500, plant('HTML')) },
    'no JSON': { token: () => plant('no JSON') },
    'other userinfo': {
      claims: ({ email: _, ...rest }) => claims(rest),
      userinfo: () => ({ sub: plant('sub'), email: plant('email') }),
    },
  }
  for (const [name, behaviour] of Object.entries(failures)) {
    t.not(await logIn(name, behaviour), 302, name)
  }
  const declined = { error: 'access_denied', error_description: plant('its description') }
  t.equal(await logIn('a refusal', {}, declined), 401)
  t.match(await findNone(), 'a login failed', 'what is wrong is logged')
})

t.test('what passes in a login at the code host is in no log, no row and no answer', async (t) => {
  const organizations = [{ id: 101, login: 'acme' }]
  const codehost = await startCodehost(t, { id: 42, login: 'octo', organizations, teams: [] })
  const env = codehostEnv(codehost, { ALLOWED_ORGANIZATIONS: 'acme', RECHECK_INTERVAL: '1ms' })
  const { urls, secrets, plant, end, findNone } = await open(t, env, codehostClient.secret)

  const logIn = async (name: string, answers: Readonly<Record<string, DescribedAnswer>> = {}) => {
    const browser = openBrowser(...urls)
    const back = new URL(await goThere(browser), 'http://gateway')
    for (const [path, answer] of Object.entries(answers)) codehost.faults.set(path, toFault(answer))
    const status = await end(name, browser, back)
    codehost.faults.clear()
    return { browser, status }
  }
  const token = '/login/oauth/access_token'
  const user = '/api/v3/user'
  const orgs = '/api/v3/user/orgs'

  const { browser, status } = await logIn('a good login')
  t.equal(status, 302)
  codehost.faults.set(orgs, toFault({ body: plant('a list that is none') }))
  const endsAt = Date.now() + 5000
  codehost.asked.length = 0
  while (!codehost.asked.includes(orgs) && Date.now() < endsAt) {
    t.equal((await browser.send('GET', '/auth/v1/self')).status, 200)
  }
  codehost.faults.clear()

  const good = { access_token: plant('token'), token_type: 'bearer' }
  const link = `<https://${plant('host').replaceAll('-', '')}.example>; rel="next"`
  const failures: Readonly<Record<string, Readonly<Record<string, DescribedAnswer>>>> = {
    'an error': {
      [token]: { body: { error: 'invalid_grant', error_description: plant('error') } },
    },
    'an error with a token': { [token]: { body: { ...good, error: 'invalid_grant' } } },
    'a token of another type': { [token]: { body: { ...good, token_type: 'mac' } } },
    'a token with a line break': {
      [token]: { body: { ...good, access_token: `${plant('broken token')}\n` } },
    },
    'a token and no JSON': { [token]: { body: plant('no JSON') } },
    'HTML in place of a token': { [token]: { status: 500, body: plant('HTML') } },
    'a token that is not accepted': { [token]: { body: good } },
    'an account that is none': { [user]: { body: { id: plant('id') } } },
    'no account': { [user]: { body: plant('no account') } },
    'no account at all': { [user]: { status: 403, body: plant('status 403') } },
    'a list that goes on elsewhere': { [orgs]: { body: [], headers: { link } } },
  }
  for (const [name, answers] of Object.entries(failures)) {
    t.not((await logIn(name, answers)).status, 302, name)
  }
  const declined = openBrowser(...urls)
  const back = new URL(await goThere(declined), 'http://gateway')
  const query = { error: 'access_denied', error_description: plant('description') }
  const state = back.searchParams.get('state') ?? ''
  back.search = new URLSearchParams({ ...query, state }).toString()
  t.equal(await end('a refusal', declined, back), 401)
  for (const accessToken of codehost.accessTokens.keys()) {
    secrets.set(`access token ${secrets.size}`, accessToken)
  }
  const logs = await findNone()
  t.match(logs, 'the code host is unavailable', 'what is wrong is logged')
  t.match(logs, 'cannot check whether a login is still allowed', 'also later')
})
