import { openDatabase } from '@svc/database'
import { createLogger } from '@svc/runtime'
import t from 'tap'
import { unauthenticated } from '../support/errors.ts'
import { type Answer, call } from '../support/http.ts'
import { startStack } from '../support/stack.ts'

const silent = createLogger({ level: 'silent', encoding: 'json' }, 'test')

interface Created {
  readonly clientToken: string
  readonly authentication: { readonly id: string }
}

const bodyOf = <T>({ body }: Answer) => body as T

const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(';')[0] ?? ''

t.test('sessions of browsers', async (t) => {
  const { urls, api } = await startStack(t, { gateways: 2 })
  const [url, otherUrl = ''] = urls
  const create = async (request: object = {}) =>
    bodyOf<Created>(await api('POST', '/auth/v1/method/token', { name: 'ui', ...request }))
  const asBrowser =
    (cookie: string, at = url) =>
    (method: string, path: string, body?: unknown, headers = {}) =>
      call(at, method, path, body, { cookie, 'sec-fetch-site': 'same-origin', ...headers })
  const signIn = async (token: string, headers = {}) =>
    await asBrowser('')('POST', '/auth/v1/session', { token }, headers)

  await t.test('begin with a static token and end with a sign-out, at every gateway', async (t) => {
    const { clientToken } = await create()
    const signedIn = await signIn(clientToken)
    t.equal(signedIn.status, 200)
    t.match(signedIn.headers.getSetCookie(), [
      /^svc_client_token=svc_[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=86400$/,
    ])
    t.equal(signedIn.headers.get('cache-control'), 'no-store')
    const cookie = cookieOf(signedIn)
    for (const at of urls) {
      const session = await asBrowser(cookie, at)('GET', '/auth/v1/session')
      t.match(session.body, { current: true, authentication: { method: 'METHOD_TOKEN' } })
      t.equal((await asBrowser(cookie, at)('GET', '/api/v1/namespaces')).status, 200)
    }
    const out = await asBrowser(cookie)('DELETE', '/auth/v1/session')
    t.strictSame([out.status, out.body], [200, { logoutUrl: '' }])
    t.strictSame(out.headers.getSetCookie(), [
      'svc_client_token=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ])
    const refused = await asBrowser(cookie)('GET', '/auth/v1/session')
    t.strictSame([refused.status, refused.body], [401, unauthenticated])
    const since = performance.now()
    while ((await asBrowser(cookie, otherUrl)('GET', '/auth/v1/session')).status === 200);
    t.ok(performance.now() - since < 2000)
    t.equal((await call(url, 'GET', '/auth/v1/self', undefined, bearer(clientToken))).status, 200)
  })

  await t.test('a session bound to a namespace can look at itself and sign out', async (t) => {
    const { clientToken } = await create({ namespaceKey: 'default' })
    const browser = asBrowser(cookieOf(await signIn(clientToken)))
    t.match((await browser('GET', '/auth/v1/session')).body, { namespaceKey: 'default' })
    t.equal((await browser('GET', '/api/v1/namespaces/default/flags')).status, 200)
    t.equal((await browser('GET', '/api/v1/namespaces')).status, 403)
    t.equal((await browser('GET', '/auth/v1/sessions')).status, 403)
    t.equal((await browser('GET', '/auth/v1/self/sessions')).status, 200)
    t.equal((await browser('DELETE', '/auth/v1/session')).status, 200)
  })

  await t.test('ending all own sessions, or oneself, also clears the cookie', async (t) => {
    const { clientToken } = await create()
    for (const [method, path] of [
      ['DELETE', '/auth/v1/self/sessions'],
      ['PUT', '/auth/v1/self/expire'],
    ] as const) {
      const cookie = cookieOf(await signIn(clientToken))
      const answer = await asBrowser(cookie)(method, path)
      t.strictSame([answer.status, answer.body], [200, {}])
      t.match(answer.headers.getSetCookie(), [/^svc_client_token=; .*; Max-Age=0$/])
      t.equal((await asBrowser(cookie)('GET', '/auth/v1/session')).status, 401)
    }
  })

  await t.test('a wrong token, or another site, gets none', async (t) => {
    const { clientToken } = await create()
    const wrong = await signIn(`${clientToken}x`)
    t.strictSame([wrong.status, wrong.body], [401, unauthenticated])
    t.strictSame(wrong.headers.getSetCookie(), [])
    const foreign = await signIn(clientToken, { 'sec-fetch-site': 'cross-site' })
    t.equal(foreign.status, 403)
    t.strictSame(foreign.headers.getSetCookie(), [])
  })
})

t.test('tokens that may be used from certain addresses only', async (t) => {
  const { urls, api } = await startStack(t, {
    env: { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const [url] = urls
  const request = { name: 'office', allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] }
  const { clientToken } = bodyOf<Created>(await api('POST', '/auth/v1/method/token', request))
  await api('POST', '/api/v1/namespaces/default/flags', {
    ...{ key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
  })
  const refusal = {
    code: 7,
    message: 'token "office" may not be used from this address',
    details: [],
  }
  const from = (address: string, method: string, path: string, body?: unknown) =>
    call(url, method, path, body, { ...bearer(clientToken), 'x-forwarded-for': address })
  const requests = [
    ['GET', '/api/v1/namespaces'],
    ['GET', '/auth/v1/self'],
    ['POST', '/evaluate/v1/boolean', { flagKey: 'on' }],
  ] as const
  for (const [method, path, body] of requests) {
    for (const address of ['203.0.113.9', '2001:db8::7', '198.51.100.1, 203.0.113.9']) {
      t.equal((await from(address, method, path, body)).status, 200, `${path} from ${address}`)
    }
    for (const address of ['198.51.100.1', '203.0.113.9, 198.51.100.1', '127.0.0.1', 'nonsense']) {
      const answer = await from(address, method, path, body)
      t.strictSame([answer.status, answer.body], [403, refusal], `${path} from ${address}`)
    }
  }
})

t.test('the uses of a token are counted, and reported within a minute', async (t) => {
  const { urls, api, databaseUrl, closeGateways } = await startStack(t)
  const [url] = urls
  const { clientToken, authentication } = bodyOf<Created>(
    await api('POST', '/auth/v1/method/token', { name: 'counted' }),
  )
  for (let i = 0; i < 5; i += 1) {
    await call(url, 'GET', '/auth/v1/self', undefined, bearer(clientToken))
    await call(url, 'POST', '/evaluate/v1/batch', { requests: [] }, bearer(clientToken))
  }
  // A gateway that ends reports what it has counted.
  await closeGateways()
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 1, log: silent })
  t.teardown(() => db.close())
  t.match(
    await db.query(
      `SELECT use_count AS count, last_used_address AS address,
              abs(extract(epoch FROM now() - last_used_at)) < 5 AS "isRecent"
         FROM auth.authentications WHERE id = $1`,
      [authentication.id],
    ),
    [{ count: 10, address: /^\d+(\.\d+){3}$/, isRecent: true }],
  )
})

t.test('what a page asks by itself is no use of its session, but of a token it is', async (t) => {
  const { urls, api, databaseUrl, closeGateways } = await startStack(t)
  const [url] = urls
  const { clientToken, authentication } = bodyOf<Created>(
    await api('POST', '/auth/v1/method/token', { name: 'watching' }),
  )
  const sent = { 'sec-fetch-site': 'same-origin', 'x-svc-background': 'true' }
  const signedIn = await call(url, 'POST', '/auth/v1/session', { token: clientToken }, sent)
  const session = bodyOf<Created>(signedIn)
  const cookie = cookieOf(signedIn)
  for (let i = 0; i < 3; i += 1) {
    await call(url, 'GET', '/api/v1/namespaces', undefined, { ...sent, cookie })
    await call(url, 'GET', '/api/v1/namespaces', undefined, { ...sent, ...bearer(clientToken) })
  }
  await call(url, 'GET', '/api/v1/namespaces', undefined, { cookie })
  // What changes something is a use, whatever it says.
  await call(url, 'POST', '/api/v1/namespaces', { key: 'made', name: 'Made' }, { ...sent, cookie })
  await closeGateways()
  const db = openDatabase(databaseUrl, { name: 'test', maxConnections: 1, log: silent })
  t.teardown(() => db.close())
  const ids = [session.authentication.id, authentication.id]
  t.match(
    await db.query(
      `SELECT use_count AS count FROM auth.authentications
        WHERE id = ANY($1) ORDER BY array_position($1, id)`,
      [ids],
    ),
    [{ count: 2 }, { count: 3 }],
  )
})

function bearer(clientToken: string) {
  return { authorization: `Bearer ${clientToken}` }
}
