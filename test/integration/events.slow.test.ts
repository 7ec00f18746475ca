import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { openBrowser } from '../support/browser.ts'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import { beginLogin, endLogin, logInAt, oidcEnv, visit } from '../support/oidc-login.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { startOrchestratorApi } from '../support/orchestrator-api.ts'

/** Of the clients. */
const address = '192.0.2.9'

const publicUrl = 'https://flags.example.com'
const orchestrator = 'SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_'

interface Event {
  readonly number: number
  readonly type: string
  readonly actorId: string
  readonly actorName: string
  readonly subjectId: string
  readonly address: string
  readonly details?: Readonly<Record<string, unknown>>
}

t.test('each kind of event, through a gateway', async (t) => {
  const people = { ada: { email: 'ada@example.com', email_verified: true } }
  const provider = await startOidcProvider(t, { publicUrl, name: 'acme', people })
  const cluster = await startOrchestratorApi(t)
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: database.url,
    env: {
      ...oidcEnv(publicUrl, { acme: provider }),
      ...cluster.env,
      [`${orchestrator}SERVICE_ACCOUNTS`]: 'shop:client',
    },
    envOf: { auth: { SVC_CHANGES_KEY: 'the-key-of-the-log-of-events-00001' } },
  })
  const { api, urls } = fleet
  const [url] = urls
  const here = { 'x-forwarded-for': address }
  const as = (token: string) => ({ ...here, authorization: `Bearer ${token}` })
  const list = async (query: string) => {
    const { status, body, text } = await api('GET', `/auth/v1/events?${query}`)
    if (status !== 200) throw new Error(text)
    return (body as { events: Event[] }).events
  }

  // Tokens.
  const made = await api('POST', '/auth/v1/method/token', { name: 'shop', namespaceKey: 'default' })
  const { clientToken, authentication } = made.body as {
    clientToken: string
    authentication: { id: string }
  }
  const { id } = authentication
  for (let i = 0; i < 3; i++) {
    const refused = await call(url, 'GET', '/auth/v1/tokens', undefined, as(clientToken))
    t.equal(refused.status, 403)
  }
  await api('POST', `/auth/v1/tokens/${id}/rotate`, { overlap: '1h' })
  await api('DELETE', `/auth/v1/tokens/${id}`)
  const short = await api('POST', '/auth/v1/method/token', { name: 'short' })
  const { clientToken: own } = short.body as { clientToken: string }
  await call(url, 'PUT', '/auth/v1/self/expire', {}, as(own))

  // Sessions.
  const browser = openBrowser(url)
  await logInAt(browser, 'acme', 'ada')
  await browser.send('DELETE', '/auth/v1/session', undefined, here)
  await logInAt(browser, 'acme', 'ada')
  t.equal((await api('DELETE', '/auth/v1/sessions?all=true')).status, 200)
  const other = openBrowser(url)
  const back = await visit(await beginLogin(other, 'acme'), 'ada')
  back.searchParams.set('state', 'another')
  t.equal((await endLogin(other, back)).status, 401)

  // What comes in numbers.
  const exchange = '/auth/v1/method/orchestrator/serviceaccount'
  const tokenOf = (account: string) => cluster.tokenOf(account, { audiences: ['flags'] })
  for (const account of ['shop:client', 'shop:client', 'bank:teller']) {
    await call(url, 'POST', exchange, { serviceAccountToken: tokenOf(account) }, here)
  }
  const flags = '/api/v1/namespaces/default/flags'
  for (let i = 0; i < 50; i++) await call(url, 'GET', flags, undefined, here)
  for (let i = 0; i < 5; i++) await call(url, 'GET', flags, undefined, as('wrong'))

  const recorded = (await list('after=0')).map(({ type }) => type)
  t.strictSame(recorded, [
    'token.created',
    'token.created',
    'token.rotated',
    'token.deleted',
    'token.created',
    'token.expired',
    'login.succeeded',
    'session.signed_out',
    'login.succeeded',
    'session.ended',
  ])

  // What was counted is reported and logged once a minute, and at the end.
  const [auth, gateway] = [fleet.auths[0], fleet.gateways[0]]
  await gateway?.kill('SIGTERM')
  await auth?.kill('SIGTERM')
  await auth?.restart()
  await gateway?.restart()
  const counted = await list(`after=${recorded.length}`)
  const route = '/api/v1/namespaces/:namespaceKey/flags'
  const expected = [
    {
      type: 'request.refused',
      actorId: id,
      details: { reason: 'namespace_restricted', route: '/auth/v1/tokens', status: 403, count: 3 },
    },
    {
      type: 'request.refused',
      actorId: 'anonymous',
      address,
      details: { reason: 'no_credential', route, status: 401, count: 50 },
    },
    { type: 'request.refused', address, details: { reason: 'unauthenticated', route, count: 5 } },
    { type: 'login.refused', details: { provider: 'oidc/acme', reason: 'not_begun' } },
    {
      type: 'login.refused',
      address,
      details: { provider: 'orchestrator', reason: 'service_account_not_allowed', count: 1 },
    },
    {
      type: 'workload.exchanged',
      actorId: /^[0-9a-f]{32}$/,
      actorName: 'shop:client',
      details: { provider: 'orchestrator', count: 2 },
    },
  ]
  t.equal(counted.length, expected.length, 'a row for each, however many there were')
  for (const event of expected) {
    const { reason } = event.details as { reason?: string }
    const found = counted.find(
      ({ type, details }) => type === event.type && details?.reason === reason,
    )
    t.match(found, event)
  }

  const logins = await list('type=login.succeeded')
  const [person] = logins
  t.match(person, { actorName: 'ada@example.com', details: { provider: 'oidc/acme' } })
  t.equal(new Set(logins.map(({ actorId }) => actorId)).size, 1, 'the same at each login')
  t.equal((await list(`actorId=${person?.actorId}`)).length, 3)
  t.match(await api('GET', `/auth/v1/events/${counted[0]?.number}`), {
    status: 200,
    body: { number: counted[0]?.number },
  })
  t.match(await api('GET', '/auth/v1/events/verification'), {
    status: 200,
    body: { intact: true, checked: 16, next: 0 },
  })
  t.equal((await call(url, 'GET', '/auth/v1/events')).status, 401)

  await database.query('ALTER TABLE auth.events DISABLE TRIGGER USER')
  await database.query(`UPDATE auth.events SET actor = 'anonymous' WHERE number = 4`)
  t.match(await api('GET', '/auth/v1/events/verification'), {
    body: { intact: false, brokenAt: 4, fault: 'event 4 is not as it was written' },
  })
})
