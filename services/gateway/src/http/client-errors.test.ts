import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { openEdge } from './edge.ts'
import { keepForOne } from './pipelining.ts'

t.test('requests that are none', async (t) => {
  const app = openEdge({
    server: { requestTimeout: 300, http: { connectionsCheckingInterval: 50 } },
  })
  app.server.headersTimeout = 200
  app.post('/echo', async (request) => request.body)
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => app.close())

  const ask = async (text: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(text, 'latin1')
    const answer = (await buffer(socket)).toString()
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    return { status: Number(head.split(' ')[1]), head, body }
  }
  const post = 'POST /echo HTTP/1.1\r\nHost: x\r\n'
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n'
  const malformed = [400, 3, 'the request is malformed'] as const
  const late = [408, 4, 'the request did not arrive in time'] as const
  const table: readonly (readonly [
    name: string,
    text: string,
    refusal: readonly [status: number, code: number, message: string],
  ])[] = [
    ['no HTTP at all', 'GET / FTP/1.1\r\n\r\n', malformed],
    ['two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, malformed],
    ['a length and chunks', `${post}Content-Length: 1\r\n${chunked}0\r\n\r\n`, malformed],
    ['a space before the colon', `${post}Content-Length : 0\r\n\r\n`, malformed],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\n\r\n', [501, 12, 'Method Not Allowed']],
    [
      'large headers',
      `${post}X: ${'x'.repeat(17_000)}\r\n\r\n`,
      [431, 3, 'the header is too large'],
    ],
    ['a body that does not arrive', `${post}Content-Length: 10\r\n\r\n`, late],
  ]
  for (const [name, text, [status, code, message]] of table) {
    await t.test(`are refused: ${name}`, async (t) => {
      const answer = await ask(text)
      t.equal(answer.status, status)
      t.strictSame(JSON.parse(answer.body), { code, message, details: [] })
      t.match(answer.head, /\r\nConnection: close/i)
    })
  }
})

t.test('what comes while an answer is sent ends it, and is not answered within it', async (t) => {
  const app = openEdge()
  const endless = new PassThrough()
  app.get('/answer', async () => endless)
  app.get('/stream', async ({ raw }, reply) => {
    reply.hijack()
    keepForOne(raw.socket)
    raw.socket.write('HTTP/1.1 200 OK\r\n\r\nbegun')
  })
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  t.teardown(() => app.close())
  endless.write('begun')
  for (const path of ['/answer', '/stream']) {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      const hasBegun = text.includes('begun')
      text += chunk
      if (!hasBegun && text.includes('begun')) socket.write('garbage\r\n\r\n')
    })
    socket.on('error', () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once('close', resolve))
    t.match(text, /^HTTP.*begun/s)
    t.equal(text.split('HTTP/1.1 ').length, 2, path)
  }
})
