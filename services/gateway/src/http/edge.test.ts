import { once } from 'node:events'
import { connect } from 'node:net'
import { AppError, type ErrorCode } from '@svc/runtime'
import t from 'tap'
import { bodyLimitOf, readJson } from './body.ts'
import { openEdge } from './edge.ts'

type Test = typeof t

const codes: Readonly<Record<ErrorCode, readonly [status: number, code: number]>> = {
  canceled: [499, 1],
  invalid_argument: [400, 3],
  deadline_exceeded: [504, 4],
  not_found: [404, 5],
  already_exists: [409, 6],
  permission_denied: [403, 7],
  resource_exhausted: [429, 8],
  failed_precondition: [400, 9],
  unimplemented: [501, 12],
  internal: [500, 13],
  unavailable: [503, 14],
  unauthenticated: [401, 16],
}

async function listen(t: Pick<Test, 'teardown'>): Promise<{ url: string }> {
  const app = openEdge()
  app.post('/echo', async (request) => readJson(request))
  const limited = [
    ['/management', 'MANAGEMENT', 'RESOURCE_SERVICE'],
    ['/auth', 'AUTH', 'AUTH_SERVICE'],
    ['/here', 'MANAGEMENT', 'GATEWAY'],
  ] as const
  for (const [url, area, answeredBy] of limited) {
    app.post(url, { bodyLimit: bodyLimitOf({ area, answeredBy }) }, async (request) => ({
      members: Object.keys(readJson(request)).length,
    }))
  }
  app.get('/fail/:code', async (request) => {
    const code = Object.keys(codes).find((known) => request.url.endsWith(known))
    throw new AppError(code as ErrorCode, 'some_reason', `what ${code} says`)
  })
  app.get('/crash', async () => {
    throw new TypeError('SELECT secret FROM somewhere')
  })
  app.get('/hang', { handlerTimeout: 200 }, () => new Promise(() => {}))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return { url }
}

t.test('errors', async (t) => {
  const { url } = await listen(t)

  for (const [name, [status, code]] of Object.entries(codes)) {
    await t.test(`answers ${name} with ${status} and ${code}`, async (t) => {
      const answer = await fetch(`${url}/fail/${name}`)
      t.equal(answer.status, status)
      t.equal(answer.headers.get('content-type'), 'application/json')
      t.equal(answer.headers.get('retry-after'), [429, 503].includes(status) ? '1' : null)
      t.equal(await answer.text(), `{"code":${code},"message":"what ${name} says","details":[]}`)
    })
  }

  await t.test('keeps what an unforeseen error says to itself', async (t) => {
    const answer = await fetch(`${url}/crash`)
    t.equal(answer.status, 500)
    t.equal(await answer.text(), '{"code":13,"message":"internal error","details":[]}')
  })

  await t.test('gives up on a handler that takes too long', async (t) => {
    const answer = await fetch(`${url}/hang`)
    t.equal(answer.status, 503)
    t.match(await answer.json(), { code: 14, details: [] })
  })

  await t.test(
    'names an error in the challenge only when a credential was presented',
    async (t) => {
      const challengeOf = async (headers: Record<string, string>) =>
        (await fetch(`${url}/fail/unauthenticated`, { headers })).headers.get('www-authenticate')
      t.equal(await challengeOf({}), 'Bearer')
      t.equal(await challengeOf({ cookie: 'theme=dark' }), 'Bearer')
      t.equal(await challengeOf({ authorization: 'Bearer x' }), 'Bearer error="invalid_token"')
    },
  )
})

t.test('the last answer of a connection says so, also a refusal', async (t) => {
  const app = openEdge({ server: { maxRequestsPerSocket: 2 } })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const ask = async () => {
    socket.write('GET /nope HTTP/1.1\r\nHost: x\r\n\r\n')
    return String((await once(socket, 'data'))[0])
  }
  t.match(await ask(), /\r\nConnection: keep-alive\r\n/)
  t.match(await ask(), /\r\nConnection: close\r\n/)
})

t.test('bodies', async (t) => {
  const { url } = await listen(t)
  const post = (
    path: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => fetch(url + path, { method: 'POST', body, headers })

  await t.test('are JSON whatever they are called', async (t) => {
    const json = ['application/json', 'application/json; charset=latin1', 'APPLICATION/JSON']
    const forms = ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded']
    const odd = ['multipart/form-data', 'nonsense', ';;;', 'a/b/c', '*/*']
    for (const type of [undefined, '', ...json, ...forms, ...odd]) {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      const answer = await post('/echo', new TextEncoder().encode('{"a":"ü"}'), headers)
      t.equal(answer.status, 200, `${type}`)
      t.strictSame(await answer.json(), { a: 'ü' }, `${type}`)
    }
  })

  await t.test('may be empty, of whatever type', async (t) => {
    for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': ';' }]) {
      const answer = await post('/echo', '', headers)
      t.strictSame([answer.status, await answer.json()], [200, {}])
    }
  })

  await t.test('are refused when malformed, and the connection stays open', async (t) => {
    const answer = await post('/echo', '{"a":')
    t.equal(answer.status, 400)
    t.not(answer.headers.get('connection'), 'close')
    t.strictSame(await answer.json(), { code: 3, message: 'the json body ends early', details: [] })
  })

  await t.test('are refused when they are encoded', async (t) => {
    const answer = await post('/echo', '{}', { 'content-encoding': 'gzip' })
    t.equal(answer.status, 415)
    t.match(await answer.json(), { code: 3, details: [] })
  })

  await t.test('have a limit, which is higher for management', async (t) => {
    const ofLength = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
    const table: [path: string, length: number, status: number][] = [
      ['/echo', 2 ** 20, 200],
      ['/echo', 2 ** 20 + 1, 413],
      ['/management', 4 * 2 ** 20, 200],
      ['/management', 4 * 2 ** 20 + 1, 413],
      ['/auth', 64 * 1024, 200],
      ['/auth', 64 * 1024 + 1, 413],
      ['/here', 2 ** 20, 200],
      ['/here', 2 ** 20 + 1, 413],
      ['/management', 20 * 2 ** 20, 413],
    ]
    for (const [path, length, status] of table) {
      const answer = await post(path, ofLength(length))
      t.equal(answer.status, status, `${path} ${length}`)
      const text = await answer.text()
      if (status === 413) t.match(text, '{"code":3,"message":"the body is too large","details":[]}')
    }
  })

  await t.test('have that limit too when their length is not said', async (t) => {
    const chunk = new Uint8Array(2 ** 18).fill(0x20)
    const body = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 8; i++) controller.enqueue(chunk)
        controller.close()
      },
    })
    const answer = await fetch(`${url}/echo`, { method: 'POST', body, duplex: 'half' })
    t.equal(answer.status, 413)
  })
})

t.test('URLs', async (t) => {
  const { url } = await listen(t)

  await t.test('are refused when they are malformed', async (t) => {
    const paths = ['/%', '/%zz', '/%c3%28', '/%ff', '/%00', '/fail/x%00', '/fail/%ed%a0%80']
    const queries = ['?a=%', '?a=%00', '?a=%ff', '?%zz=1'].map((query) => `/fail/x${query}`)
    for (const path of [...paths, ...queries]) {
      for (const method of ['GET', 'POST', 'PATCH']) {
        const answer = await fetch(url + path, { method })
        t.equal(answer.status, 400, `${method} ${path}`)
        t.strictSame(await answer.json(), { code: 3, message: 'the URL is malformed', details: [] })
      }
    }
  })

  await t.test('may have 4096 bytes', async (t) => {
    const ofLength = (length: number) => '/nope?a='.padEnd(length, 'x')
    t.equal((await fetch(url + ofLength(4096))).status, 404)
    const answer = await fetch(url + ofLength(4097))
    t.equal(answer.status, 414)
    t.strictSame(await answer.json(), { code: 3, message: 'the URL is too long', details: [] })
  })
})
