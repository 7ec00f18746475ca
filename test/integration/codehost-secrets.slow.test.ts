import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { codehostClient, startCodehost } from '../support/codehost.ts'
import { callbackPath, codehostEnv, goThere } from '../support/codehost-login.ts'
import type { ServerFault } from '../support/faults.ts'
import { startFleet } from '../support/fleet.ts'
import { findNone, Secrets } from '../support/secrets.ts'
import { answering, member } from './codehost-refusals.ts'

const tokenPath = '/login/oauth/access_token'
const accountPath = '/api/v3/user'
const organizationsPath = '/api/v3/user/orgs'

t.test('what passes in a login at the code host is in no log, no row and no answer', async (t) => {
  const codehost = await startCodehost(t, member)
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: database.url,
    env: {
      ...codehostEnv(codehost, { ALLOWED_ORGANIZATIONS: 'acme', RECHECK_INTERVAL: '1ms' }),
      SVC_LOG_LEVEL: 'trace',
      SVC_LOG_REQUESTS: 'true',
    },
  })
  const secrets = new Secrets([['the secret of the client', codehostClient.secret]])
  const plant = (name: string) => secrets.plant(name)
  const answers: string[] = []

  const logIn = async (name: string, faults: Record<string, ServerFault> = {}) => {
    const browser = openBrowser(...fleet.urls)
    const way = await goThere(browser)
    const { searchParams } = new URL(way, 'http://gateway')
    for (const part of ['state', 'code']) {
      secrets.set(`${part} of ${name}`, searchParams.get(part) ?? '')
    }
    for (const cookie of browser.cookies.values()) secrets.set(`cookie of ${name}`, cookie)
    for (const path of Object.keys(faults)) {
      codehost.faults.set(path, faults[path] ?? (() => {}))
    }
    const answer = await browser.send('GET', way)
    codehost.faults.clear()
    answers.push(answer.text)
    const token = browser.cookies.get('svc_client_token')
    if (token !== undefined) secrets.set(`token of ${name}`, token)
    return { browser, status: answer.status }
  }

  const { browser, status } = await logIn('a good login')
  t.equal(status, 302)
  codehost.faults.set(organizationsPath, answering(plant('a list that is none')))
  const endsAt = Date.now() + 5000
  codehost.asked.length = 0
  while (!codehost.asked.includes(organizationsPath) && Date.now() < endsAt) {
    t.equal((await browser.send('GET', '/auth/v1/self')).status, 200)
  }
  codehost.faults.clear()

  const token = { access_token: plant('token'), token_type: 'bearer' }
  const failures: Readonly<Record<string, Record<string, ServerFault>>> = {
    'an error': {
      [tokenPath]: answering({ error: 'invalid_grant', error_description: plant('error') }),
    },
    'an error with a token': { [tokenPath]: answering({ ...token, error: 'invalid_grant' }) },
    'a token of another type': { [tokenPath]: answering({ ...token, token_type: 'mac' }) },
    'a token with a line break': {
      [tokenPath]: answering({ ...token, access_token: `${plant('broken token')}\n` }),
    },
    'a token and no JSON': { [tokenPath]: answering(plant('no JSON')) },
    'HTML in place of a token': { [tokenPath]: answering(plant('HTML'), 500) },
    'a token that is not accepted': { [tokenPath]: answering(token) },
    'an account that is none': { [accountPath]: answering({ id: plant('id') }) },
    'no account': { [accountPath]: answering(plant('no account')) },
    'no account at all': { [accountPath]: answering(plant('status 403'), 403) },
    'a list that goes on elsewhere': {
      [organizationsPath]: answering([], 200, {
        link: `<https://${plant('host').replaceAll('-', '')}.example>; rel="next"`,
      }),
    },
  }
  for (const [name, faults] of Object.entries(failures)) {
    t.not((await logIn(name, faults)).status, 302, name)
  }
  const declined = openBrowser(...fleet.urls)
  const state = new URL(await goThere(declined), 'http://gateway').searchParams.get('state')
  const description = new URLSearchParams({ error_description: plant('description') })
  const refused = `${callbackPath}?error=access_denied&state=${state}&${description}`
  t.equal((await declined.send('GET', refused)).status, 401)
  for (const accessToken of codehost.accessTokens.keys()) {
    secrets.set(`access token ${secrets.size}`, accessToken)
  }

  const logs = await findNone(t, secrets, { db: database, fleet, answers })
  t.match(logs, 'the code host is unavailable', 'what is wrong is told')
  t.match(logs, 'cannot check whether a login is still allowed', 'also later')
})
