import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { headWriter } from './answer-head.ts'

const headers = ['cache-control', 'no-store', 'content-type', 'application/json']
const close = 'Connection: close'
const keepAlive = 'Connection: keep-alive'

/** Sends so many requests on one connection. @returns the answers, of one second all */
async function ask(t: Test, count: number, closesAt = 0) {
  const writeHead = headWriter(headers)
  let n = 0
  const server = createServer({ keepAliveTimeout: 5000 }, (_request, response) => {
    n += 1
    if (n === closesAt) response.setHeader('connection', 'close')
    const body = 'x'.repeat(n)
    writeHead(response, `id-${n}`, body.length)
    response.end(body)
  })
  server.maxRequestsPerSocket = 4
  t.teardown(() => server.close())
  t.intercept(Date, 'now', { value: () => 1_000 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  for (let i = 1; i <= count; i++) {
    const isLast = i === count ? [close] : []
    socket.write(['GET / HTTP/1.1', 'Host: x', ...isLast, '', ''].join('\r\n'))
  }
  const answers = (await text(socket)).replace(/Date: .*? GMT/g, 'Date: now')
  return answers.split(/(?=HTTP\/1\.1 )/)
}

const answer = (n: number, ...connection: readonly string[]) =>
  [
    'HTTP/1.1 200 OK',
    'cache-control: no-store',
    'content-type: application/json',
    `x-request-id: id-${n}`,
    `content-length: ${n}`,
    'Date: now',
    ...connection,
    '',
    'x'.repeat(n),
  ].join('\r\n')

const kept = 'Keep-Alive: timeout=5, max=4'

t.test('a copied head is the one that Node.js writes, with values of its own', async (t) => {
  t.strictSame(await ask(t, 3), [
    answer(1, keepAlive, kept),
    answer(2, keepAlive, kept),
    answer(3, close),
  ])
})

t.test('the last answer of a connection says that it is', async (t) => {
  const answers = await ask(t, 6)
  t.strictSame(answers.slice(0, 4), [
    ...[1, 2, 3].map((n) => answer(n, keepAlive, kept)),
    answer(4, close),
  ])
})

t.test('a connection that is to end is not kept', async (t) => {
  const answers = await ask(t, 3, 2)
  t.equal(answers.length, 2)
  t.match(answers[1], /^HTTP\/1\.1 200 OK\r\nconnection: close\r\ncache-control: no-store\r\n/)
})
