import { AppError } from '@svc/runtime'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'

const html = 'text/html,application/xhtml+xml,*/*;q=0.8'
const publicPath = '/auth/v1/method'
const ownPath = '/auth/v1/self'
const refusal = { code: 16, message: 'request was not authenticated', details: [] }

t.test('auth receives', async (t) => {
  const { auth, url } = await startBefore(t, { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1/32' })
  const ask = async (path: string, headers: Record<string, string>) => {
    auth.metadata = {}
    const answer = await fetch(url + path, {
      headers: { ...headers, 'x-request-id': 'an-id' },
      redirect: 'manual',
    })
    await answer.body?.cancel()
    return auth.metadata
  }
  /** Of a login, besides. */
  const id = { 'svc-request-id': 'an-id' }
  const address = { 'svc-client-address': '127.0.0.1' }

  await t.test('the credential of a header, in one form', async (t) => {
    const expected = { ...address, authorization: 'Bearer good', 'svc-credential': 'header' }
    const cookie = 'svc_client_token=good2; svc_flow_x=y'
    t.strictSame(await ask(ownPath, { authorization: 'bearer good', cookie }), expected)
  })

  await t.test('the credential of a cookie, in the same form', async (t) => {
    const expected = { ...address, authorization: 'Bearer good', 'svc-credential': 'cookie' }
    t.strictSame(await ask(ownPath, { cookie: 'a=b; svc_client_token=good' }), expected)
  })

  await t.test('of a login, what is under way and what was before it', async (t) => {
    const cookie =
      'a=b; __Host-svc_flow_1=x.y; svc_client_token=before; svc_flow_2=z; xsvc_flow_3=no; svc_flow_="no"'
    t.strictSame(await ask(publicPath, { cookie, authorization: 'Bearer no' }), {
      ...address,
      ...id,
      'svc-cookies': '__Host-svc_flow_1=x.y; svc_flow_2=z',
      'svc-session': 'before',
    })
  })

  await t.test('of no login before it, when there seem to be two', async (t) => {
    const cookie = 'svc_client_token=before; svc_client_token=tossed'
    t.strictSame(await ask(publicPath, { cookie }), { ...address, ...id })
  })

  await t.test('that a browser is going there', async (t) => {
    t.strictSame(await ask(publicPath, { accept: html }), {
      ...address,
      ...id,
      'svc-accepts': 'html',
    })
  })

  await t.test('where the request comes from', async (t) => {
    const from = async (address: string) =>
      (await ask(publicPath, { 'x-forwarded-for': address }))['svc-client-address']
    t.equal(await from('203.0.113.9'), '203.0.113.9')
    t.equal(await from('nonsense'), undefined)
  })

  await t.test('nothing that a request claims by itself', async (t) => {
    const claims = {
      'svc-client-address': '6.6.6.6',
      'svc-credential': 'header',
      'svc-cookies': 'svc_flow_1=x',
      'svc-session': 'other',
      'svc-accepts': 'html',
      'svc-assertion': 'x',
      'svc-request-id': 'another',
      'svc-internal-secret-bin': 'x',
      'grpc-timeout': '1n',
    }
    t.strictSame(await ask(publicPath, claims), { ...address, ...id })
  })
})

t.test('a browser receives', async (t) => {
  const { auth, url } = await startBefore(t)
  const ask = (path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { headers, redirect: 'manual' })
  const cookies = ['a=1; Path=/; HttpOnly', 'b=; Path=/; Max-Age=0']

  await t.test('which cookies to keep', async (t) => {
    auth.act = (context) => {
      for (const cookie of cookies) context.addTrailer('svc-set-cookie', cookie)
    }
    const answer = await ask(publicPath)
    t.equal(answer.status, 200)
    t.strictSame(answer.headers.getSetCookie(), cookies)
    t.strictSame(await answer.json(), { methods: [] })
    t.equal(answer.headers.get('cache-control'), 'no-store')
  })

  await t.test('where to go', async (t) => {
    auth.act = (context) => {
      context.addTrailer('svc-set-cookie', cookies[0] ?? '')
      context.addTrailer('svc-location', '/flags?namespace=default')
    }
    const answer = await ask(publicPath)
    t.equal(answer.status, 302)
    t.equal(answer.headers.get('location'), '/flags?namespace=default')
    t.strictSame(answer.headers.getSetCookie(), cookies.slice(0, 1))
    t.strictSame(await answer.json(), { methods: [] })
  })

  await t.test('where to go below the path that a proxy takes away', async (t) => {
    const { auth, url } = await startBefore(t, {
      SVC_SERVER_PUBLIC_URL: 'https://example.com/tools/flags',
      SVC_SERVER_TRUSTED_PROXIES: '127.0.0.1/32',
    })
    const table: [from: string, to: string, prefix?: string][] = [
      ['/', '/tools/flags/'],
      ['/ns/a/flags?q=1', '/tools/flags/ns/a/flags?q=1'],
      ['/tools/flags/ns/a', '/tools/flags/ns/a'],
      ['/tools/flags', '/tools/flags'],
      ['/tools/flagship', '/tools/flags/tools/flagship'],
      ['/ns/a', '/other/ns/a', '/other'],
      ['https://provider.example/authorize', 'https://provider.example/authorize'],
    ]
    for (const [from, to, prefix] of table) {
      auth.act = (context) => context.addTrailer('svc-location', from)
      const headers = prefix === undefined ? {} : { 'x-forwarded-prefix': prefix }
      const answer = await fetch(url + publicPath, { headers, redirect: 'manual' })
      await answer.body?.cancel()
      t.equal(answer.headers.get('location'), to)
    }
  })

  await t.test('which cookies to drop, also when it is refused', async (t) => {
    auth.act = (context) => {
      context.addTrailer('svc-set-cookie', cookies[1] ?? '')
      throw new AppError('unauthenticated', 'wrong_state', 'request was not authenticated')
    }
    const answer = await ask(publicPath)
    t.equal(answer.status, 401)
    t.strictSame(answer.headers.getSetCookie(), cookies.slice(1))
    t.strictSame(await answer.json(), refusal)
  })

  await t.test('nothing by an answer without such words', async (t) => {
    auth.act = () => {}
    const answer = await ask(ownPath, { authorization: 'Bearer good' })
    t.equal(answer.status, 200)
    t.strictSame(answer.headers.getSetCookie(), [])
    t.equal(answer.headers.get('location'), null)
  })
})
