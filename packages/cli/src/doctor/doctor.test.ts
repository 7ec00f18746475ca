import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createContext } from '../context.ts'
import { Output } from '../output.ts'
import { openTerminal, runLine, type Sent, serve } from '../run.test.support.ts'
import type { Finding } from './finding.ts'
import { streamsWithin } from './health.ts'

const current = { state: 'current', ageSeconds: 0.1 }
const token = (name: string, more: object = {}) => ({
  id: name,
  method: 'METHOD_TOKEN',
  createdAt: new Date().toISOString(),
  metadata: { 'io.svc.auth.token.name': name },
  ...more,
})
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

interface Fake {
  readonly body?: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A healthy service. */
const healthy: Readonly<Record<string, Fake>> = {
  '/readyz': { body: { status: 'ready', parts: { flags: current, auth: current } } },
  '/auth/v1/session': {
    body: { authentication: token('ci', { expiresAt: inDays(60) }), namespaceKey: '', subject: '' },
  },
  '/api/v1/gateways': { body: { gateways: [{ id: 'a', version: '1.1.0', dataAgeMs: 200 }] } },
  '/auth/v1/method': { body: { methods: [{ method: 'METHOD_OIDC', enabled: true }] } },
  '/auth/v1/tokens': {
    body: { authentications: [token('ci', { expiresAt: inDays(60) })], nextPageToken: '' },
  },
}

/** Runs `svc doctor --quick` against a healthy service but for some answers. */
async function examine(
  t: Test,
  but: Readonly<Record<string, Fake>> = {},
  env = { SVC_TOKEN: 'x' },
) {
  const answers = { ...healthy, ...but }
  const pathOf = ({ path }: Sent) => path.replace(/\?.*/, '')
  const { url } = await serve(t, (sent) => answers[pathOf(sent)] ?? { status: 404 })
  const argv = ['doctor', '--quick', '--json', '--url', url]
  const { code, stdout } = await runLine(argv, { env })
  const lines = stdout.split('\n').filter((line) => line !== '')
  const findings = lines.map((line): Finding => JSON.parse(line))
  const bad = findings.filter(({ state }) => state !== 'ok')
  for (const { todo, text, state } of bad) t.ok(state === 'skipped' || todo, text)
  return { code, findings, bad }
}

t.test('a healthy service', async (t) => {
  const { code, findings, bad } = await examine(t)
  t.equal(code, 0)
  t.strictSame(bad, [])
  t.strictSame(
    [...new Set(findings.map(({ check }) => check))],
    ['TLS', 'address', 'credential', 'gateways', 'logins', 'tokens'],
  )
})

t.test('each fault is found, with what to do', async (t) => {
  const stale = { state: 'stale', ageSeconds: 42 }
  const tokens = (...authentications: readonly object[]) => ({
    '/auth/v1/tokens': { body: { authentications, nextPageToken: '' } },
  })
  const gateways = (...gateways: readonly object[]) => ({
    '/api/v1/gateways': { body: { gateways } },
  })
  const cases: readonly [but: Readonly<Record<string, Fake>>, code: number, text: RegExp][] = [
    [{ '/readyz': { status: 503, body: { status: 'draining' } } }, 6, /is draining/],
    [{ '/readyz': { status: 200, body: {} } }, 1, /not as this service does/],
    [{ '/readyz': { status: 302 } }, 1, /HTTP 302/],
    [
      { '/readyz': { body: { status: 'ready', parts: { flags: stale, auth: current } } } },
      0,
      /answers from flags of 42 s ago/,
    ],
    [
      { '/readyz': { ...healthy['/readyz'], headers: { date: new Date(0).toUTCString() } } },
      0,
      /this machine is \d+ d ahead of the service/,
    ],
    [{ '/auth/v1/session': { status: 401, body: { message: 'no' } } }, 5, /not accepted/],
    [
      { '/auth/v1/session': { status: 503, body: { message: 'auth is unavailable' } } },
      6,
      /auth is/,
    ],
    [
      {
        '/auth/v1/session': {
          body: { authentication: token('ci', { expiresAt: inDays(3) }), namespaceKey: 'shop' },
        },
      },
      0,
      /ci, for namespace shop; it ends in 3 d/,
    ],
    [gateways(), 0, /none has reported/],
    [
      gateways(
        { id: 'a', version: '1.0.0', dataAgeMs: 1 },
        { id: 'b', version: '1.1.0', dataAgeMs: 1 },
      ),
      0,
      /2 gateways of versions 1.0.0 and 1.1.0/,
    ],
    [
      gateways({ id: 'a', version: '1.0.0', dataAgeMs: 40_000 }),
      0,
      /a evaluates from what is 40 s old/,
    ],
    [{ '/api/v1/gateways': { status: 403, body: { message: 'no' } } }, 0, /may not see it/],
    [{ '/auth/v1/method': { body: { methods: [] } } }, 0, /no method is enabled/],
    [tokens(token('initial_bootstrap_token')), 0, /token of the first start is still there/],
    [tokens(token('a'), token('b')), 0, /2 tokens \(a, b\) never end/],
    [
      tokens(token('a', { createdAt: inDays(-100), expiresAt: inDays(1) })),
      0,
      /1 token \(a\) was not used for 90 days/,
    ],
  ]
  for (const [but, expected, text] of cases) {
    const { code, bad } = await examine(t, but)
    t.equal(code, expected, String(text))
    t.ok(
      bad.some((finding) => text.test(finding.text)),
      `${text}: ${JSON.stringify(bad)}`,
    )
  }
})

t.test('an expired token is not said to be unused', async (t) => {
  const old = token('a', { createdAt: inDays(-100), expiresAt: inDays(-1) })
  const but = { '/auth/v1/tokens': { body: { authentications: [old], nextPageToken: '' } } }
  t.strictSame((await examine(t, but)).bad, [])
})

t.test('without a token it ends there, unless none is needed', async (t) => {
  const none = await examine(t, {}, { SVC_TOKEN: '' })
  t.equal(none.code, 5)
  t.match(none.findings.at(-1), { check: 'credential', state: 'failed' })
  const but = { '/api/v1/namespaces/default': { body: { key: 'default' } } }
  const open = await examine(t, but, { SVC_TOKEN: '' })
  t.match(open.bad, [{ check: 'credential', state: 'warning', text: /may change flags/ }])
})

t.test('a service that is not there', async (t) => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as AddressInfo
  await new Promise((resolve) => closed.close(resolve))
  const cases: readonly [url: string, text: RegExp, todo: RegExp][] = [
    [`http://127.0.0.1:${port}`, /ECONNREFUSED/, /Nothing listens there/],
    [`https://127.0.0.1:${port}`, /ECONNREFUSED/, /Nothing listens there/],
    ['http://no-such-host.invalid', /ENOTFOUND|EAI_AGAIN/, /no host of this name/],
  ]
  for (const [url, text, todo] of cases) {
    const { code, stdout } = await runLine(['doctor', '--url', url])
    t.equal(code, 6, url)
    t.match(stdout, text)
    t.match(stdout, todo)
  }
})

t.test('streams', async (t) => {
  const sent = { heartbeat: 'id: 1\ndata: {}\n\n:\n\n', nothing: '', event: 'id: 1\ndata: :\n\n' }
  const find = async (answer: keyof typeof sent, ends = false) => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (ends) response.end(sent[answer])
      else response.write(`retry: 1000\n${sent[answer]}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const { terminal } = openTerminal()
    const connection = {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      token: 'x',
      tokenFrom: 'environment',
      namespaceKey: 'default',
      profile: undefined,
    } as const
    const output = new Output(terminal, { isJson: true, isQuiet: true })
    return streamsWithin(500).run(createContext(terminal, connection, output, undefined), () => {})
  }
  t.match(await find('heartbeat'), [{ state: 'ok', text: /a heartbeat came/ }])
  t.match(await find('nothing'), [{ state: 'warning', todo: /proxy_buffering off/ }])
  t.match(await find('event'), [{ state: 'warning' }])
  await t.rejects(find('event', true), { message: /ended before a heartbeat/ })
})
