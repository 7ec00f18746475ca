import { AppError } from '@svc/runtime'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'

type Headers = Readonly<Record<string, string>>

const body = '{"code":16,"message":"request was not authenticated","details":[]}'
const bodyOfNone = body.replace(
  'authenticated',
  'authenticated: no credential: send Authorization: Bearer <token>',
)
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjaSJ9.c2ln'
const clearing = 'svc_client_token=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0'
/** Each from an address of its own, so that none has to wait for the others. */
const proxied = { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1/32' }

/** Every way to be refused, by what a request carries. */
const presented: readonly Headers[] = [
  { authorization: 'Bearer unknown' },
  { authorization: 'Bearer' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer a b' },
  { authorization: `Bearer ${'a'.repeat(5000)}` },
  { authorization: `JWT ${jwt}` },
  { authorization: `Bearer ${jwt}` },
  { authorization: 'JWT good' },
  { authorization: 'Bearer unknown', cookie: 'svc_client_token=good' },
  { authorization: '', cookie: 'svc_client_token=good' },
  { cookie: 'svc_client_token=unknown' },
  { cookie: 'svc_client_token=' },
  { cookie: `svc_client_token=${jwt}` },
  { cookie: 'svc_client_token="good"' },
  { cookie: 'svc_client_token=good; svc_client_token=good' },
  { cookie: 'svc_client_token=good; svc_client_token=tossed' },
]

t.test('a refused credential', async (t) => {
  const { auth, url } = await startBefore(t, proxied)
  let asked = 0
  const ask = (headers: Headers, path = '/auth/v1/self') =>
    fetch(url + path, { headers: { 'x-forwarded-for': `198.51.100.${asked++ % 250}`, ...headers } })

  await t.test('is refused in the same words, and its cookie is dropped', async (t) => {
    for (const headers of presented) {
      const answer = await ask(headers)
      t.equal(answer.status, 401, JSON.stringify(headers))
      t.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      t.equal(await answer.text(), body)
      // Were there two, only the one that another subdomain has set would be left.
      const isOne = headers.authorization === undefined && headers.cookie?.includes(';') === false
      t.strictSame(answer.headers.getSetCookie(), isOne ? [clearing] : [])
    }
  })

  await t.test('is not named where there is none', async (t) => {
    const none: readonly Headers[] = [{}, { cookie: 'theme=dark; Svc_client_token=good' }]
    for (const headers of none) {
      const answer = await ask(headers, '/auth/v1/self?access_token=good&token=good')
      t.equal(answer.status, 401)
      t.equal(answer.headers.get('www-authenticate'), 'Bearer')
      t.equal(await answer.text(), bodyOfNone)
      t.strictSame(answer.headers.getSetCookie(), [])
    }
  })

  await t.test('is refused whatever the body is', async (t) => {
    const paths = ['/evaluate/v1/boolean', '/api/v1/namespaces', '/ofrep/v1/evaluate/flags']
    for (const body of ['{"', '[]', '{"flagKey":1}', `{"a":${'['.repeat(100)}`]) {
      for (const path of paths) {
        for (const headers of [{}, { authorization: 'Bearer unknown' }]) {
          const from = { 'x-forwarded-for': `198.51.100.${asked++ % 250}` }
          const request = { method: 'POST', headers: { ...from, ...headers }, body }
          const answer = await fetch(url + path, request)
          await answer.body?.cancel()
          t.equal(answer.status, 401, `${path} ${body.slice(0, 20)}`)
        }
      }
    }
  })

  await t.test('may turn out to be one only when auth acts on it', async (t) => {
    auth.act = () => {
      throw new AppError('unauthenticated', 'revoked', 'request was not authenticated')
    }
    const answer = await ask({ cookie: 'svc_client_token=good' })
    t.strictSame([answer.status, await answer.text()], [401, body])
    t.strictSame(answer.headers.getSetCookie(), [clearing])
    auth.act = () => {
      throw new AppError('unavailable', 'unavailable', 'the database is not available')
    }
    const other = await ask({ cookie: 'svc_client_token=good' })
    await other.body?.cancel()
    t.strictSame([other.status, other.headers.getSetCookie()], [503, []])
    auth.act = () => {}
  })

  await t.test('is kept while auth is unavailable', async (t) => {
    const answer = await ask({ cookie: 'svc_client_token=away' })
    t.equal(answer.status, 503)
    t.strictSame(answer.headers.getSetCookie(), [])
    await answer.body?.cancel()
  })

  await t.test('is not in the cookie when there are too many others', async (t) => {
    const many = Array.from({ length: 51 }, (_, i) => `c${i}=x`).join('; ')
    const answer = await ask({ cookie: `${many}; svc_client_token=good` })
    t.equal(answer.status, 400)
    t.strictSame(answer.headers.getSetCookie(), [])
    await answer.body?.cancel()
    const named = await ask({ cookie: many, authorization: 'Bearer good' })
    t.equal(named.status, 200, 'which is not read beside a header')
    await named.body?.cancel()
  })
})

t.test('the cookie is dropped as it was set', async (t) => {
  const { url } = await startBefore(t, {
    SVC_AUTHENTICATION_SESSION_DOMAIN: 'example.com',
    SVC_AUTHENTICATION_SESSION_INSECURE: 'true',
  })
  const headers = { cookie: 'svc_client_token=unknown' }
  const answer = await fetch(`${url}/auth/v1/self`, { headers })
  await answer.body?.cancel()
  t.strictSame(answer.headers.getSetCookie(), [
    'svc_client_token=; Path=/; Domain=example.com; HttpOnly; SameSite=Strict; Max-Age=0',
  ])
})

t.test('a client that has sent too many wrong credentials', async (t) => {
  const { auth, url } = await startBefore(t, proxied)
  const ask = async (token: string, address: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address }
    const answer = await fetch(`${url}/auth/v1/self`, { headers })
    const { status } = answer
    return { status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() }
  }
  const flood = async (count: number, address: (i: number) => string) => {
    const all: Awaited<ReturnType<typeof ask>>[] = []
    for (let i = 0; i < count; i += 100) {
      const some = Array.from({ length: Math.min(100, count - i) }, (_, j) => i + j)
      all.push(...(await Promise.all(some.map((i) => ask(`bad${i}`, address(i))))))
    }
    return all
  }

  await t.test('is asked to wait', async (t) => {
    const startedAt = performance.now()
    const all = await flood(60, () => '192.0.2.1')
    const refused = all.filter(({ status }) => status === 401).length
    const allowed = 20 + (2 * (performance.now() - startedAt)) / 1000
    t.ok(refused >= 20 && refused <= allowed + 1, `${refused} of 60`)
    t.comment(`${refused} of 60 refused, the others asked to wait`)
    const others = all.filter(({ status }) => status === 429)
    t.equal(others.length, 60 - refused)
    const text = '{"code":8,"message":"too many failures, try later","details":[]}'
    t.match(others[0], { retryAfter: '1', text })
  })

  await t.test('is let through with a good one, also one that was never seen', async (t) => {
    for (const token of ['good', 'good-again', 'good']) {
      t.equal((await ask(token, '192.0.2.1')).status, 200)
    }
  })

  await t.test('does not make others wait', async (t) => {
    t.equal((await ask('bad', '192.0.2.2')).status, 401)
  })

  await t.test('is not another one by another address of the same network', async (t) => {
    const all = await flood(30, (i) => `2001:db8:0:1::${i.toString(16)}`)
    t.ok(all.some(({ status }) => status === 429))
    t.equal((await ask('bad', '2001:db8:0:2::1')).status, 401)
  })

  await t.test('waits as well after wrong logins', async (t) => {
    auth.act = () => {
      throw new AppError('unauthenticated', 'wrong', 'request was not authenticated')
    }
    const logIn = async () => {
      const headers = { 'x-forwarded-for': '192.0.2.3' }
      const answer = await fetch(`${url}/auth/v1/method`, { headers })
      await answer.body?.cancel()
      return answer.status
    }
    const startedAt = performance.now()
    // At once, for every half second another one need not wait.
    const statuses = await Promise.all(Array.from({ length: 40 }, logIn))
    const refused = statuses.filter((status) => status === 401).length
    const allowed = 20 + (2 * (performance.now() - startedAt)) / 1000
    t.ok(refused >= 20 && refused <= allowed + 1, `${refused} of 40`)
    t.ok(refused < 40)
    t.equal(statuses.filter((status) => status === 429).length, 40 - refused)
  })

  await t.test('has nothing counted for carrying no credential', async (t) => {
    for (let i = 0; i < 30; i++) {
      const answer = await fetch(`${url}/auth/v1/self`)
      await answer.body?.cancel()
      t.equal(answer.status, 401)
    }
  })
})

t.test('the cookie of a login changes nothing for pages of other sites', async (t) => {
  const { auth, url } = await startBefore(t, {
    SVC_SERVER_PUBLIC_URL: 'https://flags.example.com/',
    SVC_AUTHENTICATION_SESSION_CSRF_TRUSTED_ORIGINS: 'https://admin.example.com',
  })
  let changes = 0
  auth.act = () => {
    changes += 1
  }
  const change = async (headers: Headers) => {
    const answer = await fetch(`${url}/auth/v1/self/expire`, {
      method: 'PUT',
      headers: { cookie: 'svc_client_token=good', ...headers },
    })
    return { status: answer.status, body: await answer.json() }
  }
  const json = { 'content-type': 'application/json' }
  const crossSite = { ...json, 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  for (const headers of [
    crossSite,
    { ...json, origin: url },
    { 'content-type': 'text/plain' },
    {},
  ]) {
    const { status, body } = await change(headers)
    t.equal(status, 403, JSON.stringify(headers))
    t.match(body, { code: 7, message: /login of a browser/ })
  }
  t.equal(changes, 0)
  const good: readonly Headers[] = [
    { ...json, 'sec-fetch-site': 'same-origin' },
    { ...json, origin: 'https://flags.example.com' },
    { ...json, 'sec-fetch-site': 'same-site', origin: 'https://admin.example.com' },
  ]
  for (const headers of good) t.equal((await change(headers)).status, 200, JSON.stringify(headers))
  t.equal(changes, good.length)
  const bearer = { authorization: 'Bearer good', ...crossSite }
  t.equal((await change(bearer)).status, 200, 'a header is not sent by itself')
})
