import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { readFixture } from '../fixtures.test.support.ts'
import { blockReason, type Lookup } from './outbound.addresses.ts'
import { openOutbound } from './outbound.ts'

const {
  never,
  private: privates,
  loopback,
  public: publics,
  urls,
} = readFixture<Record<'never' | 'private' | 'loopback' | 'public' | 'urls', string[]>>(
  'auth/outbound-addresses.yml',
)

const strict = { allowPrivateNetwork: false, allowInsecure: false }
const here = { allowPrivateNetwork: false, allowInsecure: true }

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const refused = { code: 'unavailable' }

/** The errors within an error, as one text. */
function reasonsOf(error: unknown): string {
  return error instanceof Error ? `${error.message}; ${reasonsOf(error.cause)}` : ''
}

const reasonFor = (call: Promise<unknown>) => call.then(() => 'it was answered', reasonsOf)

t.test('knows which addresses are never called', async (t) => {
  for (const address of never) {
    for (const allowInsecure of [true, false]) {
      t.ok(blockReason(address, false, { allowPrivateNetwork: true, allowInsecure }), address)
    }
  }
})

t.test('calls private addresses and this machine only where that is allowed', async (t) => {
  for (const address of privates) {
    t.ok(blockReason(address, false, strict), address)
    t.notOk(blockReason(address, false, { ...strict, allowPrivateNetwork: true }), address)
    t.ok(blockReason(address, true, { allowPrivateNetwork: true, allowInsecure: true }), address)
  }
  for (const address of loopback) {
    t.ok(blockReason(address, false, { ...strict, allowPrivateNetwork: true }), address)
    t.notOk(blockReason(address, true, here), address)
  }
  for (const address of publics) {
    t.notOk(blockReason(address, false, strict), address)
    t.ok(blockReason(address, true, here), `${address} by http`)
  }
})

t.test('answers with the response of the peer', async (t) => {
  const url = await serve(t, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      response.writeHead(201, { 'content-type': 'application/json', 'x-a': ['b', 'c'] })
      const { method, headers } = request
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(parts).toString() }))
    })
  })
  const fetch = openOutbound('oidc', here)
  const body = new URLSearchParams({ a: 'ü b' })
  const answer = await fetch(`${url}/x?y`, { method: 'POST', body, headers: { 'X-One': '1' } })
  t.equal(answer.status, 201)
  t.equal(answer.headers.get('x-a'), 'b, c')
  t.match(await answer.json(), {
    method: 'POST',
    body: 'a=%C3%BC+b',
    headers: {
      'x-one': '1',
      'content-type': /form/,
      'content-length': '10',
      'accept-encoding': 'identity',
    },
  })
})

t.test('follows no redirect', async (t) => {
  const asked: string[] = []
  const url = await serve(t, (request, response) => {
    asked.push(request.url ?? '')
    const status = Number(request.url?.slice(1))
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  for (const status of [301, 302, 303, 307, 308]) {
    t.equal((await openOutbound('oidc', here)(`${url}/${status}`)).status, status)
  }
  t.strictSame(asked, ['/301', '/302', '/303', '/307', '/308'])
})

t.test('takes no answer that is too large or too slow', async (t) => {
  let sent = 0
  const url = await serve(t, (request, response) => {
    if (request.url === '/endless') {
      const more = () => {
        while (response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on('drain', more)
      more()
    } else if (request.url === '/drip') {
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }
  })
  const fetch = openOutbound('oidc', here, { timeoutMs: 300, maxBytes: 100_000 })
  const begin = performance.now()
  t.match(await reasonFor(fetch(`${url}/endless`)), /more than 100000 bytes/)
  t.ok(sent < 16 * 2 ** 20, `${sent} bytes were sent`)
  t.match(await reasonFor(fetch(`${url}/drip`)), /no answer in 300 ms/)
  t.match(await reasonFor(fetch(`${url}/silent`)), /no answer in 300 ms/)
  t.ok(performance.now() - begin < 2000, 'soon')
  await t.rejects(fetch(`${url}/silent`, { signal: AbortSignal.timeout(20) }), refused)
})

t.test('looks at what a name stands for when it connects', async (t) => {
  const url = new URL(await serve(t, (_request, response) => response.end('inside')))
  let asked = 0
  const rebinding: Lookup = (_name, _options, done) => {
    asked += 1
    done(null, [{ address: asked === 1 ? '8.8.8.8' : '169.254.169.254', family: 4 }])
  }
  rebinding('first', { all: true }, () => {})
  const fetch = openOutbound('oidc', strict, { lookup: rebinding, timeoutMs: 500 })
  t.match(await reasonFor(fetch('https://idp.example/')), /idp.example is an address that is never/)

  const answers = (...addresses: string[]): Lookup => {
    return (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
  }
  const mixed = openOutbound('oidc', here, { lookup: answers('169.254.169.254', '127.0.0.1') })
  t.equal(await (await mixed(`http://idp.example:${url.port}/`)).text(), 'inside')
  const none = openOutbound('oidc', here, { lookup: answers() })
  t.match(await reasonFor(none('http://idp.example/')), /without an address/)
})

t.test('looks at addresses that stand in the URL, however they are written', async (t) => {
  const fetch = openOutbound('oidc', strict, { timeoutMs: 500 })
  for (const url of urls) t.match(await reasonFor(fetch(url)), /is (an?|a private) address/, url)
})

t.test('speaks https, and http with this machine only', async (t) => {
  const open = openOutbound(
    'oidc',
    { allowPrivateNetwork: true, allowInsecure: true },
    { timeoutMs: 500 },
  )
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:text/plain,x']) {
    t.match(await reasonFor(open(url)), /only https/, url)
  }
  t.match(await reasonFor(open('http://10.0.0.1/')), /http to another machine/)
  t.match(await reasonFor(openOutbound('oidc', strict)('http://127.0.0.1:1/')), /only https/)
})

t.test('says which file it cannot read', async (t) => {
  t.throws(() => openOutbound('oidc', { ...strict, caFile: '/nowhere/ca.pem' }), {
    code: 'failed_precondition',
    message: /\/nowhere\/ca.pem/,
  })
})
