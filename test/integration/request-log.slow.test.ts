import { randomUUID } from 'node:crypto'
import { createTestDatabase } from '@svc/database/testing'
import { waitFor } from '@svc/runtime/testing'
import t from 'tap'
import { startFleet } from '../support/fleet.ts'
import { call } from '../support/http.ts'
import type { ServiceProcess } from '../support/service-process.ts'

/** Waits for the line of a request, which is written after its answer. */
async function lineOf({ lines }: Pick<ServiceProcess, 'lines'>, requestId: string | null) {
  const find = () => lines.find((line) => line.msg === 'answered' && line.requestId === requestId)
  await waitFor(() => find() !== undefined)
  return find() ?? {}
}

t.test('the line of a request', async (t) => {
  const { url: databaseUrl } = await createTestDatabase(t)
  const fleet = await startFleet(t, { databaseUrl, env: { SVC_LOG_REQUESTS: 'true' } })
  const [gateway] = fleet.gateways
  if (gateway === undefined) throw new Error('there is no gateway')
  const address = '203.0.113.9'
  const own = { authorization: `Bearer ${fleet.token}`, 'x-forwarded-for': address }
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE' }
  await fleet.api('POST', '/api/v1/namespaces/default/flags', flag)
  const self = (await fleet.api('GET', '/auth/v1/self')).body as { id: string }
  const ask = async (method: string, path: string, body?: unknown, headers: object = own) => {
    const answer = await call(fleet.urls[0], method, path, body, { ...headers })
    return lineOf(gateway, answer.headers.get('x-request-id'))
  }

  await t.test('names the caller and the operation', async (t) => {
    const known = { address, tokenId: self.id, namespaces: ['default'], status: 200 }
    const path = '/api/v1/namespaces/default/flags'
    const route = '/api/v1/namespaces/:namespaceKey/flags/:key'
    t.match(await ask('GET', `${path}/on`), { ...known, method: 'GET', route, flags: ['on'] })
    t.match(await ask('GET', `${path}/on/rollouts`), { ...known, flags: ['on'] })
    t.match(await ask('GET', path), known)
    t.match(await ask('POST', '/evaluate/v1/boolean', { flagKey: 'on' }), {
      ...known,
      flags: ['on'],
    })
    const requests = [
      { flagKey: 'on' },
      { flag_key: 'gone' },
      { flagKey: 'on' },
      { flagKey: 'a b' },
    ]
    const batch = await ask('POST', '/evaluate/v1/batch', { requests })
    t.match(batch, { ...known, flags: ['on', 'gone'] })
    const context = { targetingKey: 'user' }
    const ofrep = await ask('POST', '/ofrep/v1/evaluate/flags/on', { context })
    t.match(ofrep, { ...known, flags: ['on'] })
  })

  await t.test('of a caller who was refused has nothing that was sent', async (t) => {
    const secret = randomUUID()
    const path = `/api/v1/namespaces/${secret}/flags/${secret}?token=${secret}`
    for (const headers of [{}, { authorization: `Bearer ${secret}` }, { 'x-request-id': 'a b' }]) {
      const line = await ask('GET', path, undefined, { 'x-forwarded-for': address, ...headers })
      t.match(line, { status: 401, address, tokenId: undefined, namespaces: undefined })
    }
    t.notMatch(gateway.output.join('\n'), secret)
    t.notMatch(gateway.output.join('\n'), fleet.token)
  })

  await t.test('has one id, in all lines of the request', async (t) => {
    const all = gateway.output.filter((line) => /requestId|reqId/.test(line))
    t.ok(all.length > 10)
    for (const line of all) t.equal(line.match(/"(?:requestId|reqId)"/g)?.length, 1)
    t.ok(gateway.lines.some(({ msg, requestId }) => msg === 'refused' && requestId !== undefined))
  })

  await t.test('has the id that a trusted proxy has given to it, and no other', async (t) => {
    const line = await ask('GET', '/healthz', undefined, { 'x-request-id': 'of-the-proxy-1' })
    t.equal(line.requestId, 'of-the-proxy-1')
    const other = await fleet.startGateway({ SVC_SERVER_TRUSTED_PROXIES: '10.0.0.0/8' })
    for (const sent of ['of-the-proxy-2', 'a b']) {
      const headers = { 'x-request-id': sent }
      const answer = await call(other.url, 'GET', '/healthz', undefined, headers)
      const requestId = answer.headers.get('x-request-id')
      t.match(requestId, /^[0-9a-f-]{36}$/)
      t.match(await lineOf(other, requestId), { address: '127.0.0.1' })
    }
  })
})
