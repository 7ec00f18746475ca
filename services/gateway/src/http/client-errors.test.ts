import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { openEdge } from './edge.ts'

t.test('requests that are none', async (t) => {
  const app = openEdge({ server: { requestTimeout: 300 } })
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
  const table: [name: string, text: string, status: number, body: object][] = [
    [
      'no HTTP at all',
      'GET / FTP/1.1\r\n\r\n',
      400,
      { code: 3, message: 'the request is malformed' },
    ],
    [
      'two lengths',
      `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      { code: 3, message: 'the request is malformed' },
    ],
    [
      'a length and chunks',
      `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      { code: 3, message: 'the request is malformed' },
    ],
    [
      'a space before the colon',
      `${post}Content-Length : 0\r\n\r\n`,
      400,
      { code: 3, message: 'the request is malformed' },
    ],
    [
      'an unknown method',
      'BREW /echo HTTP/1.1\r\nHost: x\r\n\r\n',
      501,
      { code: 12, message: 'Method Not Allowed' },
    ],
    [
      'headers of more than 16 KiB',
      `${post}X: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      { code: 3, message: 'the header is too large' },
    ],
    [
      'a body that does not arrive',
      `${post}Content-Length: 10\r\n\r\n`,
      408,
      { code: 4, message: 'the request did not arrive in time' },
    ],
  ]
  for (const [name, text, status, body] of table) {
    await t.test(`are refused: ${name}`, async (t) => {
      const answer = await ask(text)
      t.equal(answer.status, status)
      t.strictSame(JSON.parse(answer.body), { ...body, details: [] })
      t.match(answer.head, /\r\nConnection: close/i)
    })
  }
})
