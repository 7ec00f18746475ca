import t from 'tap'
import { fixedToken, type TokenSource } from './credential.ts'
import { Http, reasonOf } from './http.ts'
import { refuse, startFlagServer } from './testing/flag-server.ts'

const { signal } = new AbortController()

/** A source that gives one token after the other. */
function tokens(...list: readonly string[]): TokenSource {
  let index = 0
  return {
    get: async () => list[index],
    async renew() {
      index++
      return list[index] !== undefined
    },
    hasChanged: async () => false,
    close() {},
  }
}

t.test('a refused token is replaced once', async (t) => {
  const server = await startFlagServer(t, ({ headers }, response) => {
    if (headers.authorization === 'Bearer good') response.end('{}')
    else refuse(response, 401, 'request was not authenticated')
  })
  const send = (source: TokenSource) =>
    new Http({ url: server.url, fetch, tokens: source }).send('/x', { signal })
  t.equal((await send(tokens('bad', 'good'))).status, 200)
  t.equal(server.asked.length, 2)
  await t.rejects(send(tokens('bad', 'worse', 'good')), {
    name: 'SvcError',
    status: 401,
    message: 'request was not authenticated',
  })
  t.equal(server.asked.length, 4)
  await t.rejects(send(fixedToken(undefined)), { status: 401, name: 'SvcError' })
  t.equal(server.asked.at(-1)?.headers.authorization, undefined)
})

t.test('an answer that is none says what is wrong', async (t) => {
  const server = await startFlagServer(t, ({ url }, response) => {
    if (url === '/304') response.writeHead(304).end()
    else if (url === '/html') response.writeHead(502).end('<html>')
    else if (url === '/endless') {
      response.writeHead(500)
      const timer = setInterval(() => response.write('x'.repeat(2 ** 20)), 1)
      response.on('close', () => clearInterval(timer))
    } else refuse(response, 403, 'no')
  })
  const http = new Http({ url: server.url, fetch, tokens: fixedToken(undefined) })
  t.equal((await http.send('/304', { signal })).status, 304)
  await t.rejects(http.send('/403', { signal }), { name: 'SvcError', status: 403, message: 'no' })
  const html = { name: 'SvcError', status: 502, code: 14, message: 'HTTP 502' }
  await t.rejects(http.send('/html', { signal }), html)
  await t.rejects(http.send('/endless', { signal }), { name: 'SvcError', status: 500 })

  server.close()
  const unreachable = /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: (?!fetch failed)./
  await t.rejects(http.send('/', { signal }), { status: 0, code: 14, message: unreachable })
})

t.test('a token does not follow a redirect', async (t) => {
  const other = await startFlagServer(t, (_asked, response) => response.end('{}'))
  const server = await startFlagServer(t, (_asked, response) => {
    response.writeHead(307, { location: `${other.url}/x` }).end()
  })
  const http = new Http({ url: server.url, fetch, tokens: fixedToken('svc_x') })
  const message = /cannot be reached: unexpected redirect/
  await t.rejects(http.send('/x', { signal }), { name: 'SvcError', code: 14, message })
  t.strictSame(other.asked, [])
})

t.test('a token that is none is refused before it is sent, and not shown', async (t) => {
  for (const text of ['', '  ', 'svc_secret\nx', 'svc_sécret', 'svc secret']) {
    const message = /^credential\.token (is empty|has characters that no token has)$/
    t.throws(() => fixedToken(text), { name: 'SvcError', code: 16, message })
  }
  t.equal(await fixedToken(' svc_x\n').get(), 'svc_x')
})

t.test('the reason is what went wrong first', async (t) => {
  const first = Object.assign(new Error(''), { code: 'ECONNREFUSED' })
  t.equal(reasonOf(new TypeError('fetch failed', { cause: first })), 'ECONNREFUSED')
  t.equal(reasonOf(new Error('that')), 'that')
  t.equal(reasonOf('text'), 'text')
  t.equal(reasonOf(Object.create(null)), 'object')
})
