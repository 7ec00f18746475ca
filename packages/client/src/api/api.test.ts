import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type AnswerInfo, createApi, SvcError } from './index.ts'

interface Sent {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A server that answers everything alike, and what it was sent. */
async function serve(t: Test, answer: Answer | 'never' = {}) {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    sent.push({ method, url, headers, body: await text(request) })
    if (answer === 'never') return
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

const flag = { namespaceKey: 'shop', key: 'checkout' }

/** What a call is refused with. */
async function failureOf(call: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof SvcError) return error
  throw new Error('the call was not refused', { cause: error })
}

t.test('a request', async (t) => {
  const { url, sent } = await serve(t)
  const last = () => sent.at(-1)

  await t.test(
    'has the members that the path names in the path, and the others in the body',
    async (t) => {
      await createApi({ url, token: 'secret' }).flags.update({
        ...flag,
        name: 'Pay',
        enabled: true,
      })
      t.match(last(), { method: 'PUT', url: '/api/v1/namespaces/shop/flags/checkout' })
      t.strictSame(JSON.parse(last()?.body ?? ''), { name: 'Pay', enabled: true })
      t.match(last()?.headers, {
        authorization: 'Bearer secret',
        'content-type': 'application/json',
      })
    },
  )

  await t.test('has them in the query where there is no body; a list by its items', async (t) => {
    const { flags } = createApi({ url })
    await flags.list({
      namespaceKey: 'shop',
      q: 'a&b=c',
      tags: ['x', 'y'],
      enabled: false,
      limit: undefined,
    })
    t.equal(last()?.url, '/api/v1/namespaces/shop/flags?q=a%26b%3Dc&tags=x&tags=y&enabled=false')
    t.equal(last()?.body, '')
    t.notOk(last()?.headers.authorization)
  })

  await t.test('encodes what is in the path', async (t) => {
    await createApi({ url }).authentications.get({ id: 'a/../b?c' })
    t.equal(last()?.url, '/auth/v1/tokens/a%2F..%2Fb%3Fc')
  })

  await t.test('is not sent without what the path needs', async (t) => {
    const count = sent.length
    const call = createApi({ url }).flags.get({ namespaceKey: 'shop', key: '' })
    await t.rejects(call, { name: 'TypeError', message: /needs "key"/ })
    t.equal(sent.length, count)
  })

  await t.test('carries the options of a call', async (t) => {
    const options = { ifMatch: '"shop:42"', comment: 'für später', minRevision: 'shop:41' }
    await createApi({ url }).flags.get(flag, options)
    t.match(last()?.headers, {
      'if-match': '"shop:42"',
      'x-svc-comment': 'f%C3%BCr%20sp%C3%A4ter',
      'x-svc-min-revision': 'shop:41',
    })
  })

  await t.test('keeps the path of the base, and asks for the token each time', async (t) => {
    let count = 0
    const api = createApi({ url: `${url}/tools/flags/`, token: async () => `token-${++count}` })
    await api.metadata.getInfo()
    await api.metadata.getInfo()
    t.equal(last()?.url, '/tools/flags/meta/info')
    t.equal(last()?.headers.authorization, 'Bearer token-2')
  })
})

t.test('an answer says what its headers say', async (t) => {
  const headers = { etag: '"shop:42"', 'x-svc-revision': 'shop:43', 'x-request-id': 'r-1' }
  const { url } = await serve(t, { headers, body: '{"key":"checkout"}' })
  let info: AnswerInfo | undefined
  const answer = await createApi({ url }).flags.get(flag, {
    onAnswer(answer) {
      info = answer
    },
  })
  t.equal(answer.key, 'checkout')
  t.match(info, { status: 200, etag: '"shop:42"', revision: 'shop:43', requestId: 'r-1' })
})

t.test('an error', async (t) => {
  await t.test('has what the service says', async (t) => {
    const { url } = await serve(t, {
      status: 412,
      headers: { etag: '"shop:44"', 'x-request-id': 'r-2' },
      body: '{"code":9,"message":"flag \\"shop/checkout\\" is at revision 44, not 42","details":[]}',
    })
    const error = await failureOf(createApi({ url }).flags.get(flag))
    t.match(error, { status: 412, code: 9, etag: '"shop:44"', requestId: 'r-2' })
    t.equal(error.message, 'flag "shop/checkout" is at revision 44, not 42')
  })

  await t.test('has the code of its status where something else answers', async (t) => {
    const { url } = await serve(t, { status: 502, body: '<html>' })
    t.match(await failureOf(createApi({ url }).flags.get(flag)), {
      status: 502,
      code: 14,
      message: 'HTTP 502',
    })
  })

  await t.test('has status 0 when nothing answers', async (t) => {
    const { url } = await serve(t, 'never')
    const late = await failureOf(createApi({ url, timeoutMs: 50 }).flags.get(flag))
    t.match(late, { status: 0, code: 4 })
    const unreachable = await failureOf(createApi({ url: 'http://127.0.0.1:1' }).flags.get(flag))
    t.match(unreachable, { status: 0, code: 14 })
  })

  await t.test('is a redirect: neither the token nor a write follows it', async (t) => {
    const other = await serve(t, { body: '{"key":"shop"}' })
    const location = `${other.url}/api/v1/namespaces?state=secret`
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = await serve(t, { status, headers: { location } })
      const { namespaces } = createApi({ url, token: 'svc_x' })
      const error = await failureOf(namespaces.create({ key: 'shop', name: 'Shop' }))
      t.match(error, {
        status,
        message: `${url} redirects to ${other.url}/api/v1/namespaces: give the address behind the redirect`,
      })
    }
    t.strictSame(other.sent, [])
    const { url } = await serve(t, { status: 302, headers: { location: 'http://' } })
    t.match(await failureOf(createApi({ url }).flags.get(flag)), { message: /redirects elsewhere/ })
  })

  await t.test('is a redirect of which a browser says nothing', async (t) => {
    const opaque = Object.defineProperties(Response.error(), {
      type: { value: 'opaqueredirect' },
    })
    const api = createApi({ url: 'http://x', fetch: async () => opaque })
    const message = 'http://x redirects elsewhere: give the address behind the redirect'
    t.match(await failureOf(api.flags.get(flag)), { status: 0, message })
  })

  await t.test('has the status of an answer that is none of the service', async (t) => {
    const headers = { 'x-request-id': 'r-3' }
    const { url } = await serve(t, { headers, body: '<html>' })
    const error = await failureOf(createApi({ url }).flags.get(flag))
    t.match(error, { status: 200, code: 2, requestId: 'r-3', cause: { name: 'SyntaxError' } })
    t.equal(error.message, `the answer of ${url} is no JSON: check the address`)
  })

  await t.test('is what a listener of the caller throws', async (t) => {
    const { url } = await serve(t)
    const onAnswer = () => {
      throw new RangeError('of the caller')
    }
    await t.rejects(createApi({ url }).flags.get(flag, { onAnswer }), {
      name: 'RangeError',
      message: 'of the caller',
    })
  })

  await t.test('is the reason of the signal when the caller gives up', async (t) => {
    const { url } = await serve(t, 'never')
    const controller = new AbortController()
    const call = createApi({ url }).flags.get(flag, { signal: controller.signal })
    controller.abort(new Error('the page was left'))
    await t.rejects(call, { message: 'the page was left' })
  })
})
