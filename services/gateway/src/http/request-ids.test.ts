import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { requestIdsBehind } from './request-ids.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

t.test('the id of a trusted proxy is taken over, and of no other', async (t) => {
  const idOf = (proxies: readonly string[], sent: string | undefined, remoteAddress: string) => {
    const request = { headers: { 'x-request-id': sent }, socket: { remoteAddress } }
    return requestIdsBehind(proxies)(request as unknown as IncomingMessage)
  }
  const proxies = ['10.0.0.0/8']
  for (const sent of ['abc', 'A-1', '0'.repeat(64)]) {
    t.equal(idOf(proxies, sent, '10.1.2.3'), sent)
    t.equal(idOf(proxies, sent, '::ffff:10.1.2.3'), sent)
    t.match(idOf(proxies, sent, '192.0.2.1'), uuid)
    t.match(idOf([], sent, '10.1.2.3'), uuid)
  }
  const others = [undefined, '', '0'.repeat(65), 'a b', 'a, b', 'a_b', 'a\u00e9', '"a"', 'a.b']
  for (const sent of others) {
    t.match(idOf(proxies, sent, '10.1.2.3'), uuid, `${sent}`)
  }
})
