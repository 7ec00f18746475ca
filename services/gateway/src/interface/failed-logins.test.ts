import { AppError, type ErrorCode } from '@svc/runtime'
import type { FastifyInstance } from 'fastify'
import t from 'tap'
import { openEdge } from '../http/edge.ts'
import { failedLoginPages } from './failed-logins.ts'

const browser = 'text/html,*/*;q=0.8'
const route = '/auth/v1/method/oidc/:provider/callback'
const path = '/auth/v1/method/oidc/staff/callback'

interface Failing {
  readonly code?: ErrorCode
  readonly returnTo?: string
}

/** An edge at which every login fails. */
function open(t: { teardown(work: () => unknown): void }, basePath = '/') {
  let failing: Failing = {}
  const app = openEdge({ pageInsteadOf: failedLoginPages(new Set([route]), () => basePath) })
  const fail = (exchange: {
    returnTo: string | undefined
    setHeader(...pair: [string, string]): void
  }) => {
    exchange.setHeader('set-cookie', 'svc_flow_1=; Max-Age=0')
    exchange.returnTo = failing.returnTo
    throw new AppError(
      failing.code ?? 'unauthenticated',
      'refused',
      'request was not authenticated',
    )
  }
  app.get(route, async ({ exchange }) => fail(exchange))
  app.get('/api/v1/flags', async ({ exchange }) => fail(exchange))
  t.teardown(() => app.close())
  const ask = (url: string, now: Failing = {}, accept = browser) => {
    failing = now
    return app.inject({ url, headers: { accept } })
  }
  return { app, ask }
}

const searchOf = ({ headers }: Awaited<ReturnType<FastifyInstance['inject']>>) =>
  new URL(String(headers.location), 'https://a.example').searchParams

t.test('a browser whose login has failed comes to the page that says so', async (t) => {
  const { ask } = open(t)
  const answer = await ask(`${path}?state=x`, { returnTo: '/ns/a/flags?q=1&tag=b' })
  t.equal(answer.statusCode, 302)
  t.match(answer.headers.location, /^\/login\?/)
  t.strictSame(Object.fromEntries(searchOf(answer)), {
    error: 'refused',
    request: answer.headers['x-request-id'],
    back: '/ns/a/flags?q=1&tag=b',
  })
  t.strictSame(answer.headers['set-cookie'], 'svc_flow_1=; Max-Age=0', 'and keeps no cookie of it')
  t.equal(answer.headers['www-authenticate'], undefined)
  t.equal(answer.headers['cache-control'], 'no-store')
})

t.test('the page says what went wrong', async (t) => {
  const { ask } = open(t)
  const table: [code: ErrorCode, query: string, error: string][] = [
    ['unauthenticated', '?error=access_denied', 'declined'],
    ['unauthenticated', '?error=server_error', 'refused'],
    ['permission_denied', '', 'refused'],
    ['resource_exhausted', '', 'busy'],
    ['unavailable', '', 'unavailable'],
    ['deadline_exceeded', '', 'unavailable'],
    ['internal', '', 'failed'],
    ['invalid_argument', '?error=access_denied', 'failed'],
  ]
  for (const [code, query, error] of table) {
    const answer = await ask(path + query, { code })
    t.equal(searchOf(answer).get('error'), error, code)
    t.equal(answer.headers['retry-after'], undefined)
  }
})

t.test('it leads back to a path of this service alone', async (t) => {
  const { ask } = open(t, '/tools/flags/')
  const backOf = async (state: string, returnTo?: string) => {
    const answer = await ask(`${path}?state=${encodeURIComponent(state)}`, {
      ...(returnTo && { returnTo }),
    })
    t.match(answer.headers.location, /^\/tools\/flags\/login\?/)
    return searchOf(answer).get('back')
  }
  t.equal(await backOf('/tools/flags/ns/a?b=c'), '/ns/a?b=c')
  t.equal(await backOf('/tools/flags'), '/')
  t.equal(await backOf('/tools/flagship'), '/tools/flagship')
  t.equal(await backOf('x', '/tools/flags/ns/b'), '/ns/b')
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'x',
    '',
    '/ ',
    '/ü',
  ]
  for (const state of [...elsewhere, `/${'a'.repeat(512)}`])
    t.equal(await backOf(state), null, state)
  const doubled = await ask(`${path}?state=/a&state=/b`)
  t.equal(searchOf(doubled).get('back'), null)
})

t.test('other clients, and other requests, get the error', async (t) => {
  const { ask } = open(t)
  for (const [url, accept] of [
    [path, '*/*'],
    [path, 'application/json'],
    ['/api/v1/flags', browser],
  ] as const) {
    const answer = await ask(url, {}, accept)
    t.equal(answer.statusCode, 401)
    t.match(answer.json(), { code: 16 })
    t.equal(answer.headers.location, undefined)
  }
})
