import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { openBrowser } from '../support/browser.ts'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { startJwtIssuer } from '../support/jwt-issuer.ts'
import { type Behaviour, startMockProvider } from '../support/mock-provider.ts'
import { beginLogin, endLogin, oidcEnv } from '../support/oidc-login.ts'
import { clockAhead } from '../support/service-process.ts'

/** Longer than an assertion is valid, so that gateways have to ask for another one. */
const writingMs = 6000

const cases = [
  { service: 'auth', minutes: -10 },
  { service: 'auth', minutes: 10 },
  { service: 'resource', minutes: 10 },
] as const

async function startSkewed(t: Test, { service, minutes }: (typeof cases)[number]) {
  const [issuer, provider] = await Promise.all([startJwtIssuer(t, 'ci'), startMockProvider(t)])
  const { url } = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: url,
    env: {
      ...issuer.env,
      ...oidcEnv('https://flags.example.com', { good: { issuer: provider.issuer('good') } }),
    },
    envOf: { [service]: { NODE_OPTIONS: clockAhead(minutes) } },
  })
  const selfStatus = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await call(fleet.urls[0], 'GET', '/auth/v1/self', undefined, headers)).status
  }
  return { issuer, provider, fleet, selfStatus }
}

type Skewed = Awaited<ReturnType<typeof startSkewed>>
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

const probes: Readonly<Record<string, (t: Test, skewed: Skewed) => Promise<void>>> = {
  async 'flags are managed as before'(t, { fleet }) {
    const until = performance.now() + writingMs
    for (let number = 0; performance.now() < until; number++) {
      const flag = { key: `flag-${number}`, name: 'A flag', type: 'BOOLEAN_FLAG_TYPE' }
      const answer = await fleet.api('POST', '/api/v1/namespaces/default/flags', flag)
      if (answer.status !== 200) t.strictSame(answer.body, {}, `write ${number}`)
      await sleep(250)
    }
    t.equal((await fleet.api('GET', '/api/v1/namespaces/default/flags')).status, 200)
  },

  async 'a token ends when it says'(t, { fleet, selfStatus }) {
    const expiresAt = Date.now() + 3000
    const token = { name: 'short', expiresAt: new Date(expiresAt).toISOString() }
    const made = await fleet.api('POST', '/auth/v1/method/token', token)
    t.equal(made.status, 200)
    const { clientToken } = made.body as { readonly clientToken: string }
    let lastAccepted = 0
    let firstRefused = 0
    while (firstRefused === 0 && Date.now() < expiresAt + 5000) {
      const askedAt = Date.now()
      if ((await selfStatus(clientToken)) === 200) lastAccepted = askedAt
      else firstRefused = askedAt
      await sleep(20)
    }
    const most = { atMost: 2000, unit: 'ms' }
    figure(t, 'R-17', 'a token is accepted late by', most, lastAccepted - expiresAt)
    figure(t, 'R-17', 'a token is refused early by', most, expiresAt - firstRefused)
    t.not(firstRefused, 0, 'it did end')
  },

  async 'JWTs are judged by the right time'(t, { issuer, selfStatus }) {
    const statusOf = async (claims: object) => await selfStatus(await issuer.sign({ ...claims }))
    t.equal(await statusOf({}), 200, 'good for five minutes')
    t.equal(await statusOf({ exp: inSeconds(5) }), 200, 'good for a moment')
    t.equal(await statusOf({ nbf: inSeconds(-5) }), 200, 'good since a moment')
    t.equal(await statusOf({ exp: inSeconds(-40) }), 401, 'expired')
    t.equal(await statusOf({ nbf: inSeconds(60) }), 401, 'not good yet')
  },

  async 'ID tokens are judged by the right time'(t, { fleet, provider }) {
    const logIn = async (behaviour: Behaviour = {}) => {
      const browser = openBrowser(fleet.urls[0])
      const back = provider.answer(await beginLogin(browser, 'good'), behaviour)
      return (await endLogin(browser, back)).status
    }
    const withClaims = (changes: object): Behaviour => ({
      claims: (usual) => ({ ...usual, ...changes }),
    })
    t.equal(await logIn(), 302)
    t.equal(await logIn(withClaims({ exp: inSeconds(-60) })), 401, 'expired')
    t.equal(await logIn(withClaims({ iat: inSeconds(120) })), 401, 'not yet')
  },
}

for (const one of cases) {
  t.test(`with the clock of ${one.service} ${one.minutes} minutes ahead`, async (t) => {
    const skewed = await startSkewed(t, one)
    const [process] = one.service === 'auth' ? skewed.fleet.auths : skewed.fleet.resources
    const warned = process?.lines.find(({ skewMs }) => typeof skewMs === 'number')
    t.equal(Math.round(Number(warned?.skewMs) / 60_000), one.minutes, 'it says so')
    for (const [name, probe] of Object.entries(probes)) await t.test(name, (t) => probe(t, skewed))
  })
}
