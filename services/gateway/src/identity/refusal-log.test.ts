import type { IncomingMessage } from 'node:http'
import { Authentication } from '@svc/proto/auth/v1/authentications'
import { Identity } from '@svc/proto/auth/v1/identities'
import { AppError } from '@svc/runtime'
import { pino } from 'pino'
import t from 'tap'
import { Exchange } from '../http/exchange.ts'
import { unauthenticated } from './errors.ts'
import { RefusalCounts } from './refusal-counts.ts'
import { RefusalLog } from './refusal-log.ts'

function open() {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const refusals = new RefusalLog(log, new RefusalCounts(async () => {}))
  const refuse = (address: string, error: Error, id?: string) => {
    const received = { raw: {} as IncomingMessage, id: 'r', params: {}, query: {}, body: undefined }
    const exchange = new Exchange({ ...received, route: '/flags' }, () => address)
    refusals.note(exchange, error, id === undefined ? undefined : identityOf(id))
  }
  return { lines, refusals, refuse }
}

const identityOf = (id: string) =>
  Identity.fromPartial({ authentication: Authentication.fromPartial({ id }) })

const forbidden = new AppError('permission_denied', 'address_refused', 'not from here')

t.test('a caller who is refused again and again takes two lines a minute', async (t) => {
  const { lines, refusals, refuse } = open()
  for (let i = 0; i < 1000; i++) refuse('192.0.2.1', unauthenticated('unknown'))
  t.equal(lines.length, 1)
  t.match(lines[0], { msg: 'refused', reason: 'unknown', route: '/flags', address: '192.0.2.1' })
  refusals.flush()
  t.equal(lines.length, 2)
  t.match(lines[1], { reason: 'unknown', caller: '192.0.2.1', suppressed: 999 })
  refuse('192.0.2.1', unauthenticated('unknown'))
  t.equal(lines.length, 3, 'then it is logged again')
})

t.test('every kind of refusal and every caller has a line', async (t) => {
  const { lines, refuse } = open()
  for (let i = 0; i < 3; i++) {
    refuse('192.0.2.1', unauthenticated('unknown'))
    refuse('192.0.2.1', unauthenticated('revoked'))
    refuse('192.0.2.2', unauthenticated('unknown'))
    refuse('2001:db8::1', unauthenticated('unknown'))
    refuse('2001:db8::2', unauthenticated('unknown'))
    refuse('192.0.2.1', forbidden, 'token-1')
    refuse('192.0.2.7', forbidden, 'token-1')
    refuse('192.0.2.1', forbidden, 'token-2')
  }
  const logged = lines.map(({ reason, address, tokenId }) => [reason, address, tokenId])
  t.strictSame(logged, [
    ['unknown', '192.0.2.1', undefined],
    ['revoked', '192.0.2.1', undefined],
    ['unknown', '192.0.2.2', undefined],
    ['unknown', '2001:db8::1', undefined],
    ['address_refused', '192.0.2.1', 'token-1'],
    ['address_refused', '192.0.2.1', 'token-2'],
  ])
})

t.test('however many callers there are, their lines have a bound', async (t) => {
  const { lines, refusals, refuse } = open()
  for (let i = 0; i < 3000; i++) {
    refuse(`10.0.${i >> 8}.${i & 255}`, unauthenticated('unknown'))
  }
  t.equal(lines.length, 1000)
  refusals.flush()
  t.match(lines.at(-1), { caller: 'others', suppressed: 2000 })
})

t.test('what is no refusal has no line', async (t) => {
  const { lines, refuse } = open()
  refuse('192.0.2.1', new AppError('unavailable', 'away', 'away'))
  refuse('192.0.2.1', new TypeError('a defect'))
  t.strictSame(lines, [])
})
