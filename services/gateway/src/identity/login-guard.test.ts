import type { IncomingMessage } from 'node:http'
import { bound } from '@svc/contract/testing'
import { AppError } from '@svc/runtime'
import { fakeTime } from '@svc/runtime/testing'
import { pino } from 'pino'
import t from 'tap'
import { Exchange } from '../http/exchange.ts'
import { createLoginGuard } from './login-guard.ts'
import { RefusalCounts } from './refusal-counts.ts'
import { RefusalLog } from './refusal-log.ts'

const operations = {
  login: bound('Authorize').operation,
  callback: bound('Callback').operation,
  logout: bound('BackchannelLogout').operation,
  exchange: bound('ExchangeServiceAccountToken').operation,
  cli: bound('ExchangeCliCode').operation,
}

function open() {
  const refusals = new RefusalLog(pino({ level: 'silent' }), new RefusalCounts(async () => {}))
  const guard = createLoginGuard({ own: undefined, trusted: [] }, refusals)
  /** @returns the reason of a refusal, and the headers that come with it */
  return (name: keyof typeof operations, address: string, query = {}) => {
    const raw = { method: 'GET', headers: {}, rawHeaders: [] as string[] } as IncomingMessage
    const received = { raw, id: 'r', route: name, params: {}, query, body: undefined }
    const exchange = new Exchange(received, () => address)
    try {
      guard(operations[name], exchange)
      return undefined
    } catch (error) {
      return { reason: error instanceof AppError ? error.reason : '', headers: exchange.headers }
    }
  }
}

const tooMany = { reason: 'too_many_logins', headers: ['retry-after', '2'] }

t.test('one address begins and finishes so many logins, and no more', async (t) => {
  const pass = fakeTime(t)
  const ask = open()
  let allowed = 0
  for (let i = 0; i < 50; i++) {
    // As fast as all of them together may.
    await pass(50)
    if (ask(i % 2 ? 'login' : 'callback', '192.0.2.1') === undefined) allowed++
  }
  t.equal(allowed, 31, 'thirty, and one for two seconds more')
  t.strictSame(ask('login', '192.0.2.2'), undefined, 'others do')
})

t.test('nor do many together', async (t) => {
  fakeTime(t)
  const ask = open()
  const all = Array.from({ length: 200 }, (_, i) => ask('login', `10.0.0.${i}`))
  const refused = all.filter((refusal) => refusal !== undefined)
  t.equal(all.length - refused.length, 20)
  t.strictSame(refused[0], tooMany)
})

t.test('the command line logs in as often, and does not hold up browsers', async (t) => {
  const pass = fakeTime(t)
  const ask = open()
  const all = Array.from({ length: 200 }, (_, i) => ask('cli', `10.0.0.${i}`))
  t.equal(all.filter((refusal) => refusal === undefined).length, 20)
  t.strictSame(all.at(-1), tooMany)
  t.equal(ask('login', '192.0.2.1'), undefined)
  await pass(1000)
  for (let i = 0; i < 29; i++) {
    await pass(50)
    ask('cli', '192.0.2.2')
  }
  t.equal(ask('cli', '192.0.2.2'), undefined, 'thirty of one address')
  t.strictSame(ask('cli', '192.0.2.2'), tooMany)
})

t.test('what comes from a program of its own credential is not counted', async (t) => {
  const ask = open()
  for (let i = 0; i < 60; i++) {
    t.equal(ask('logout', '192.0.2.1'), undefined)
    t.equal(ask('exchange', '192.0.2.1'), undefined)
  }
})

t.test('a callback has each of its fields once', async (t) => {
  const ask = open()
  const of = (name: 'login' | 'callback', query: object) => ask(name, '192.0.2.1', query)?.reason
  t.equal(of('callback', { state: 'a', code: 'b' }), undefined)
  const doubled = [
    { state: ['a', 'a'], code: 'b' },
    { state: 'a', code: ['b', 'c'] },
    { iss: ['a', 'b'] },
  ]
  for (const query of doubled) t.equal(of('callback', query), 'doubled', JSON.stringify(query))
  t.equal(of('callback', { state: 'a', code: 'b', x: ['1', '2'] }), undefined, 'which is no field')
  t.equal(of('login', { state: ['a', 'b'] }), undefined, 'that is said in other words')
})
