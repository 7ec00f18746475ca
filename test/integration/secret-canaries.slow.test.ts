import type { Queryable } from '@svc/database'
import { createTestDatabase } from '@svc/database/testing'
import t, { type Test } from 'tap'
import { openBrowser } from '../support/browser.ts'
import { startCodehost } from '../support/codehost.ts'
import { codehostEnv, goThere, logIn, publicUrl } from '../support/codehost-login.ts'
import { startFleet } from '../support/fleet.ts'
import { type Answer, call } from '../support/http.ts'
import { startJwtIssuer } from '../support/jwt-issuer.ts'
import { oidcEnv } from '../support/oidc-login.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'
import { redisCommand, redisIsMissing, startRedis } from '../support/redis.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { Canaries, startTalkativeProvider } from './secret-canaries.fixture.ts'

const methods = '/auth/v1/method'

/** Every level writes what the ones after it write, and more. */
const logs = [
  { level: 'trace', encoding: 'json' },
  { level: 'info', encoding: 'console' },
] as const

/** @returns all that is in a database, and that it has put into its own log of statements */
async function dumpDatabase(db: Queryable): Promise<string> {
  const tables = await db.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
      WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`,
  )
  const dumps = tables.map(async ({ name }) => {
    const rows = await db.query<{ row: string }>(`SELECT r::text AS row FROM ${name} r`)
    return rows.map(({ row }) => row).join('\n')
  })
  return (await Promise.all(dumps)).join('\n')
}

async function dumpRedis(port: number): Promise<string> {
  const keys = await redisCommand(port, 'KEYS', '*')
  const values = keys.map(async (key) => [key, ...(await redisCommand(port, 'GET', key))].join(' '))
  return (await Promise.all(values)).join('\n')
}

async function plantEverywhere(t: Test, log: (typeof logs)[number]) {
  const canaries = new Canaries()
  const database = await createTestDatabase(t)
  const redis = await startRedis()
  t.teardown(() => redis.stop())
  const [provider, codehost, orchestrator, jwts] = await Promise.all([
    startTalkativeProvider(t, canaries),
    startCodehost(t, { id: 42, login: 'octo', organizations: [], teams: [] }),
    startOrchestratorApi(t),
    startJwtIssuer(t, 'ci'),
  ])
  const fleet = await startFleet(t, {
    databaseUrl: database.url,
    redisUrl: `redis://:${canaries.plant('password of Redis')}@127.0.0.1:${redis.port}`,
    env: {
      ...oidcEnv(publicUrl, { accounts: provider }),
      ...codehostEnv(codehost),
      ...orchestrator.env,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS: 'shop:client',
      ...jwts.env,
      SVC_INTERNAL_SECRET: canaries.plant('secret between services'),
      SVC_INTERNAL_ASSERTION_KEY: canaries.plant('key of assertions'),
      // It is logged once otherwise, on purpose.
      SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_LOG: 'false',
      SVC_LOG_LEVEL: log.level,
      SVC_LOG_ENCODING: log.encoding,
      SVC_LOG_REQUESTS: 'true',
    },
  })
  canaries.adopt('password of the database', new URL(database.url).password)
  canaries.adopt('first token', fleet.token)
  canaries.adopt('client secret of a provider', 'the-secret-of-the-oidc-client')
  canaries.adopt('client secret of the code host', 'the-secret-of-the-client')
  const [url] = fleet.urls
  const answers: (Answer & { readonly to: string })[] = []
  const keep = (to: string, answer: Answer) => {
    answers.push({ ...answer, to })
    return answer
  }
  const ask = async (method: string, path: string, body?: unknown, headers = {}) =>
    keep(`${method} ${path}`, await call(url, method, path, body, headers))
  const flags = '/api/v1/namespaces/default/flags'
  const plant = (place: string) => canaries.plant(place)
  const jwtShaped = (place: string) => `eyJhbGciOiJFUzI1NiJ9.${plant(place)}.c2lnbmF0dXJl`

  const headers = {
    'wrong token': { authorization: `Bearer ${plant('wrong token')}` },
    'other scheme': { authorization: `Basic ${plant('other scheme')}` },
    'JWT without a signature': { authorization: `JWT ${jwtShaped('JWT without a signature')}` },
    'JWT as a token': { authorization: `Bearer ${jwtShaped('JWT as a token')}` },
    'cookie of a login': { cookie: `svc_client_token=${plant('cookie of a login')}` },
    'other cookie': { cookie: `session=${plant('other cookie')}` },
    'cookie of a flow': { cookie: `svc_flow_abcdefgh=${plant('cookie of a flow')}` },
    'key of another service': { 'x-api-key': plant('key of another service') },
    proxy: { 'proxy-authorization': `Bearer ${plant('proxy')}` },
    'secret of a service': { 'svc-internal-secret-bin': plant('secret of a service') },
    assertion: { 'svc-assertion': plant('assertion') },
  }
  for (const more of Object.values(headers)) {
    await ask('GET', flags, undefined, more)
    await ask('POST', '/evaluate/v1/boolean', { flagKey: 'on' }, more)
    await ask('GET', `${methods}/oidc/accounts/callback?code=x&state=y`, undefined, more)
    await ask('GET', '/nowhere', undefined, more)
  }
  const own = { authorization: `Bearer ${fleet.token}` }
  await ask('GET', `${flags}?access_token=${plant('token in a query')}`)
  await ask('POST', flags, `{"key":"x","password":"${plant('broken body')}"`, own)
  await ask('POST', flags, { key: { secret: plant('wrong type') } }, own)
  await ask('POST', '/auth/v1/session', { token: plant('token to sign in with') })
  await ask('POST', '/auth/v1/session', { token: { value: plant('odd token to sign in with') } })
  const serviceAccountToken = jwtShaped('token of a service account')
  await ask('POST', `${methods}/orchestrator/serviceaccount`, { serviceAccountToken })
  const genuine = orchestrator.tokenOf('bank:teller', { audiences: ['flags'] })
  canaries.adopt('token of a service account that may not', genuine)
  await ask('POST', `${methods}/orchestrator/serviceaccount`, { serviceAccountToken: genuine })
  const signed = canaries.adopt('JWT for another audience', await jwts.sign({ aud: 'others' }))
  await ask('GET', flags, undefined, { authorization: `Bearer ${signed}` })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const body of [undefined, `logout_token=${jwtShaped('logout token')}`]) {
    await ask('POST', `${methods}/oidc/accounts/backchannel-logout`, body, form)
  }

  // The provider answers otherwise each time.
  for (const round of [1, 2, 3]) {
    const browser = openBrowser(url)
    const begun = await browser.send('GET', `${methods}/oidc/accounts/authorize?state=/x`)
    const { authorizeUrl } = begun.body as { authorizeUrl: string }
    const state = new URL(authorizeUrl).searchParams.get('state') ?? ''
    const query = `code=${plant(`code ${round}`)}&state=${state}`
    keep('callback', await browser.send('GET', `${methods}/oidc/accounts/callback?${query}`))
  }
  const errors = `error=access_denied&error_description=${plant('description in a callback')}`
  for (const path of [`${methods}/oidc/accounts/callback`, `${methods}/codehost/callback`]) {
    await ask('GET', `${path}?${errors}&state=${plant(`state of ${path}`)}`)
  }

  // The code host, as it should be and as it should not.
  const browser = openBrowser(url)
  await logIn(browser)
  canaries.adopt('session', browser.cookies.get('svc_client_token') ?? 'no session')
  keep('session', await browser.send('GET', '/auth/v1/session'))
  for (const token of codehost.accessTokens.keys()) canaries.adopt('access token', token)
  const apiPath = new URL(`${codehost.apiUrl}/user`).pathname
  codehost.faults.set(apiPath, (_request, response) => {
    response.writeHead(500).end(canaries.values.get('page of a code host'))
  })
  plant('page of a code host')
  const other = openBrowser(url)
  keep('callback', await other.send('GET', await goThere(other)))

  // What is made here is shown once, by the answer that makes it.
  const made = await fleet.api('POST', '/auth/v1/method/token', { name: 'made' })
  const { clientToken, authentication } = made.body as {
    clientToken: string
    authentication: { id: string }
  }
  canaries.adopt('new token', clientToken)
  const rotated = await fleet.api('POST', `/auth/v1/tokens/${authentication.id}/rotate`, {})
  canaries.adopt('new secret', (rotated.body as { clientToken: string }).clientToken)
  const list = ['/auth/v1/tokens', '/auth/v1/sessions', '/auth/v1/self', '/auth/v1/events']
  list.push('/openapi.json', methods)
  for (const path of list) await ask('GET', path, undefined, own)
  const bearer = { authorization: `Bearer ${canaries.values.get('new secret')}` }
  await ask('GET', flags, undefined, bearer)
  await ask('GET', flags, undefined, { authorization: `Bearer ${clientToken}` })
  // What was counted is in the log of events then.
  for (const gateway of fleet.gateways) await gateway.kill('SIGTERM')
  for (const auth of fleet.auths) await auth.kill('SIGTERM')
  return { canaries, fleet, answers, database, redis, provider }
}

for (const log of logs) {
  const name = `secrets, with logs of the level ${log.level} as ${log.encoding},`
  t.test(name, { skip: redisIsMissing }, async (t) => {
    const { canaries, fleet, answers, database, redis, provider } = await plantEverywhere(t, log)
    t.ok(
      canaries.values.size >= 30,
      `${canaries.values.size} secrets in ${answers.length} requests`,
    )
    t.comment(`${canaries.values.size} secrets, ${answers.length} answers`)
    t.equal(provider.answers(), 3, 'the provider was asked')

    await t.test('are in no answer', async (t) => {
      const shown = answers.flatMap(({ to, text, headers }) => {
        const all = `${text}\n${JSON.stringify([...headers])}`
        return canaries.findIn(all).map((place) => `${to}: ${place}`)
      })
      t.strictSame(shown, [])
    })

    await t.test('are in no log', async (t) => {
      const processes = [...fleet.auths, ...fleet.resources, ...fleet.gateways]
      const lines = processes.flatMap(({ output }) => output)
      t.ok(lines.length > answers.length, `${lines.length} lines`)
      const shown = lines.flatMap((line) => canaries.findIn(line).map((place) => [place, line]))
      t.strictSame(shown, [])
    })

    await t.test('are neither in PostgreSQL nor in Redis', async (t) => {
      const inDatabase = await dumpDatabase(database)
      for (const what of ['initial_bootstrap_token', 'request.refused', 'login.refused']) {
        t.match(inDatabase, what, 'there is something to look at')
      }
      t.strictSame(canaries.findIn(inDatabase), [])
      const inRedis = await dumpRedis(redis.port)
      t.match(inRedis, /:tok\d+:/, 'there is something to look at')
      t.strictSame(canaries.findIn(inRedis), [])
    })
  })
}

t.test('secrets that a service cannot start with are in nothing that it says', async (t) => {
  const canaries = new Canaries()
  const dsn = (place: string, where: string) => `postgres://u:${canaries.plant(place)}@${where}`
  const failures: Readonly<Record<string, string>>[] = [
    { SVC_DB_URL: dsn('password of an unreachable database', '127.0.0.1:1/x') },
    { SVC_DB_URL: dsn('password in a URL that is none', ':no port/x') },
    { SVC_DB_URL: canaries.plant('database that is no URL') },
    { SVC_CACHE_REDIS_URL: `http://:${canaries.plant('password of no Redis')}@127.0.0.1:1` },
    { SVC_INTERNAL_SECRET: canaries.plant('too short').slice(0, 12) },
    { SVC_AUTHENTICATION_METHODS_CODEHOST_CLIENT_SECRET: canaries.plant('alone') },
    { SVC_AUTHENTICATION_METHODS_TOKEN_BOOTSTRAP_TOKEN: `${canaries.plant('with a space')} x` },
    { SVC_LOG_LEVEL: canaries.plant('in the wrong place') },
  ]
  const usual = { SVC_AUTH_LISTEN: '127.0.0.1:0', SVC_DB_URL: 'postgres://u@127.0.0.1:1/x' }
  for (const env of failures) {
    const start = startServiceProcess(t, 'auth', { ...usual, ...env })
    const said = await start.then(
      () => t.fail('it started'),
      (error: Error) => canaries.findIn(error.message),
    )
    t.strictSame(said, [])
  }
})
