import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'
import { apiHeaders } from './headers.ts'

const paths = [
  '/',
  '/healthz',
  '/auth/v1/method',
  '/auth/v1/self',
  '/nope',
  '/%zz',
  '/docs',
  '/openapi.json',
]

t.test('every answer says how it may be used', async (t) => {
  const { url, port } = await startBefore(t)
  for (const path of paths) {
    const { headers, body } = await fetch(url + path, { redirect: 'manual' })
    await body?.cancel()
    t.equal(headers.get('x-content-type-options'), 'nosniff', path)
    t.equal(headers.get('referrer-policy'), 'no-referrer', path)
    t.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
    t.match(headers.get('content-security-policy'), /default-src 'none'/, path)
    t.match(headers.get('content-security-policy'), /frame-ancestors 'none'/, path)
    t.equal(headers.get('strict-transport-security'), null, path)
    t.equal(headers.get('server'), null, path)
    if (path.startsWith('/auth/v1/')) t.equal(headers.get('cache-control'), 'no-store', path)
  }
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost x\r\n\r\n')
  const answer = await text(socket)
  t.match(answer, /^HTTP\/1\.1 400 /)
  for (const [name, value] of Object.entries(apiHeaders)) {
    t.ok(answer.toLowerCase().includes(`\r\n${name}: ${value}\r\n`.toLowerCase()), name)
  }
})

t.test('browsers that reached it by https are to come by nothing else', async (t) => {
  const { url } = await startBefore(t, { SVC_SERVER_PUBLIC_URL: 'https://flags.example.com' })
  for (const path of paths) {
    const { headers, body } = await fetch(url + path, { redirect: 'manual' })
    await body?.cancel()
    t.equal(headers.get('strict-transport-security'), 'max-age=31536000', path)
  }
})
