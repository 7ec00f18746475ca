import { bound } from '@svc/contract/testing'
import type { HTTPMethods } from 'fastify'
import { pino } from 'pino'
import t from 'tap'
import { clientAddressBehind } from '../http/client-address.ts'
import { openEdge } from '../http/edge.ts'
import { createLoginGuard } from './login-guard.ts'
import { RefusalLog } from './refusal-log.ts'

const silent = pino({ level: 'silent' })

const { operation: login } = bound('Authorize')
const { operation: callback } = bound('Callback')
const { operation: logout } = bound('BackchannelLogout')
const { operation: exchange } = bound('ExchangeServiceAccountToken')

function open() {
  const app = openEdge({ addressOf: clientAddressBehind(['127.0.0.0/8']) })
  const guard = createLoginGuard({ own: undefined, trusted: [] }, new RefusalLog(silent))
  const routes = { login, callback, logout, exchange }
  for (const [name, operation] of Object.entries(routes)) {
    app.route({
      method: ['GET', 'POST'],
      url: `/${name}`,
      async handler({ exchange }) {
        guard(operation, exchange)
        return {}
      },
    })
  }
  return async (
    name: keyof typeof routes,
    address: string,
    method: HTTPMethods = 'GET',
    query = '',
  ) => {
    const headers = { 'x-forwarded-for': address }
    return await app.inject({ method: method as 'GET', url: `/${name}${query}`, headers })
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

t.test('one address begins and finishes so many logins, and no more', async (t) => {
  const ask = open()
  const statuses: number[] = []
  const startedAt = performance.now()
  for (let i = 0; i < 50; i++) {
    // As fast as all of them together may.
    await pause(50)
    statuses.push((await ask(i % 2 ? 'login' : 'callback', '192.0.2.1')).statusCode)
  }
  const allowed = statuses.filter((status) => status === 200).length
  const most = 30 + (0.5 * (performance.now() - startedAt)) / 1000
  t.ok(allowed >= 30 && allowed <= most, `${allowed} of 50`)
  const { headers, statusCode } = await ask('login', '192.0.2.1')
  if (statusCode === 429) t.equal(headers['retry-after'], '2')
  t.equal((await ask('login', '192.0.2.2')).statusCode, 200, 'others do')
})

t.test('nor do many together', async (t) => {
  const ask = open()
  const startedAt = performance.now()
  const all = await Promise.all(Array.from({ length: 200 }, (_, i) => ask('login', `10.0.0.${i}`)))
  const allowed = all.filter(({ statusCode }) => statusCode === 200).length
  const most = 20 + (20 * (performance.now() - startedAt)) / 1000
  t.ok(allowed >= 20 && allowed <= most, `${allowed} of 200`)
  const refused = all.find(({ statusCode }) => statusCode === 429)
  t.equal(refused?.headers['retry-after'], '2')
  t.strictSame(refused?.json(), { code: 8, message: 'too many logins, try later', details: [] })
})

t.test('what comes from no browser is not counted', async (t) => {
  const ask = open()
  for (let i = 0; i < 60; i++) {
    t.equal((await ask('logout', '192.0.2.1', 'POST')).statusCode, 200)
    t.equal((await ask('exchange', '192.0.2.1', 'POST')).statusCode, 200)
  }
})

t.test('a callback has each of its fields once', async (t) => {
  const ask = open()
  const statusOf = async (name: 'login' | 'callback', query: string) =>
    (await ask(name, '192.0.2.1', 'GET', query)).statusCode
  t.equal(await statusOf('callback', '?state=a&code=b'), 200)
  for (const query of ['?state=a&state=a&code=b', '?state=a&code=b&code=c', '?iss=a&iss=b']) {
    t.equal(await statusOf('callback', query), 401, query)
  }
  t.equal(await statusOf('callback', '?state=a&code=b&x=1&x=2'), 200, 'which is no field')
  t.equal(await statusOf('login', '?state=a&state=b'), 200, 'that is said in other words')
})
