import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import t from 'tap'
import { startBefore } from '../gateway.test.support.ts'

const closing = 'host: x\r\nconnection: close\r\n'
const requests = {
  'a route': `GET /auth/v1/self HTTP/1.1\r\n${closing}`,
  'a route of the fast path': `POST /evaluate/v1/boolean HTTP/1.1\r\n${closing}content-length: 2\r\n`,
  'no route': `GET /nowhere HTTP/1.1\r\n${closing}`,
}

t.test('no header is hidden behind others, whatever version of Node.js this is', async (t) => {
  const { auth, port } = await startBefore(t, { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' })
  auth.identify = (name) => ({
    name,
    authentication: Authentication.fromPartial({ id: 'a', allowedAddresses: ['127.0.0.0/8'] }),
  })
  /** @param count of all headers together */
  const ask = async (request: string, count: number) => {
    const own = request.split('\r\n').length - 2
    const fillers = Array.from({ length: count - own - 2 }, (_, i) => `x-filler-${i}: x\r\n`)
    const socket = connect(port, '127.0.0.1')
    socket.write(`${request}authorization: Bearer good\r\n${fillers.join('')}`)
    socket.write('x-forwarded-for: 203.0.113.9\r\n\r\n')
    if (request.startsWith('POST')) socket.write('{}')
    return (await text(socket)).split('\r\n\r\n')
  }
  for (const [name, request] of Object.entries(requests)) {
    for (const count of [101, 150, 400]) {
      const [head, body] = await ask(request, count)
      t.match(head, /^HTTP\/1\.1 431 /, `${name}, ${count} headers`)
      t.equal(body, '{"code":3,"message":"the header is too large","details":[]}')
    }
    const [head, body] = await ask(request, 100)
    t.match(head, name === 'no route' ? /^HTTP\/1\.1 404 / : /^HTTP\/1\.1 403 /, `${name}, 100`)
    if (name !== 'no route') t.match(body, 'may not be used from this address')
  }
})

t.test('of a long X-Forwarded-For the end counts', async (t) => {
  const { auth, url } = await startBefore(t, { SVC_SERVER_TRUSTED_PROXIES: '127.0.0.0/8' })
  const addressOf = async (forwarded: string) => {
    const headers = { authorization: 'Bearer good', 'x-forwarded-for': forwarded }
    const answer = await fetch(`${url}/auth/v1/self`, { headers })
    await answer.body?.cancel()
    return auth.metadata['svc-client-address']
  }
  for (const filler of ['a,', '198.51.100.1, ', ',', '2001:db8::1,']) {
    const many = filler.repeat(10_000 / filler.length)
    t.equal(await addressOf(`${many}203.0.113.9`), '203.0.113.9', filler)
    t.equal(await addressOf(`${many}203.0.113.9, 127.0.0.2`), '203.0.113.9', filler)
  }
  t.equal(await addressOf('1'.repeat(10_000)), undefined)
})
