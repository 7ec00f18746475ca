import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import t from 'tap'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { startLoad } from '../../support/load.ts'
import { type ServerFault, startOrchestratorApi } from '../../support/orchestrator-api.ts'
import { percentiles } from '../../support/percentiles.ts'

const path = '/auth/v1/method/orchestrator/serviceaccount'

/** How long each fault lasts, and how many log in meanwhile. */
const faultMs = 3000
const loginsPerSecond = 5

const readsPerSecond = 50

/** Limit of the answer that a login cannot be checked at present. */
const slowestRefusalMs = 2000

/** How soon an API server that is well again is asked again. */
const slowestRecoveryMs = 6000

/** Those who come before five have failed, which takes 2.3 s, and one in five seconds afterwards. */
const mostCalls = 15

t.test('while the API server is not well', { timeout: 300_000 }, async (t) => {
  const api = await startOrchestratorApi(t)
  const link = await startFaultProxy(t, api.port)
  const elsewhere = await startElsewhere(t)
  const database = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: database.url,
    env: {
      ...api.env,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_API_URL: `https://${link.address}`,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS: '*',
      SVC_LOG_LEVEL: 'trace',
    },
  })
  const [url] = fleet.urls
  const flag = { key: 'on', name: 'On', type: 'BOOLEAN_FLAG_TYPE', enabled: true }
  await fleet.api('POST', '/api/v1/namespaces/default/flags', flag)
  const serviceAccountToken = api.tokenOf('shop:client', { audiences: ['flags'] })
  const exchange = () => call(url, 'POST', path, { serviceAccountToken })
  const { clientToken } = (await exchange()).body as { clientToken: string }
  const authorization = `Bearer ${clientToken}`

  const question = { flagKey: 'on', entityId: 'alice' }
  const readsMs: number[] = []
  let count = 0
  const read = async () => {
    count += 1
    const startedAt = performance.now()
    const { status, text } = await (count % 2 === 0
      ? call(url, 'POST', '/evaluate/v1/boolean', question, { authorization })
      : call(url, 'GET', '/auth/v1/self', undefined, { authorization }))
    readsMs.push(performance.now() - startedAt)
    return status === 200 ? 'right' : `${status} ${text}`
  }
  const loginsMs: number[] = []
  const login = async () => {
    const startedAt = performance.now()
    const { status } = await exchange()
    loginsMs.push(performance.now() - startedAt)
    return String(status)
  }

  const links: Readonly<Record<string, Fault>> = {
    'it refuses connections': 'cut',
    'it takes connections and says nothing': 'freeze',
    'its bytes drip': { bytesPerSecond: 200 },
  }
  const serverFaults: Readonly<Record<string, ServerFault>> = {
    'it never answers': () => {},
    'it begins to answer, and drips': (request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 100)
      request.socket.once('close', () => clearInterval(timer))
    },
    'its answer does not end': (_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      }
      response.on('drain', more)
      more()
    },
    'it fails': (_request, response) => response.writeHead(500).end('{}'),
    'it lets us ask no more': (_request, response) => response.writeHead(403).end('{}'),
    'it sends us elsewhere': (_request, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    'it speaks in tongues': (_request, response) => response.writeHead(201).end('<html>'),
    'it hangs up': (request) => request.socket.destroy(),
  }
  const faults = [
    ...Object.entries(links).map(([name, fault]) => ({ name, begin: () => link.set(fault) })),
    ...Object.entries(serverFaults).map(([name, serverFault]) => ({
      name,
      begin() {
        api.fault = serverFault
      },
    })),
  ]

  for (const { name, begin } of faults) {
    await t.test(`${name}: 503 within two seconds, and no other request is affected`, async (t) => {
      readsMs.length = 0
      loginsMs.length = 0
      const callsBefore = api.calls
      begin()
      const reads = startLoad(readsPerSecond, read)
      const logins = startLoad(loginsPerSecond, login)
      await sleep(faultMs)
      const refused = await logins.stop()
      const calls = api.calls - callsBefore
      link.set('none')
      api.fault = undefined
      const healedAt = performance.now()
      while ((await exchange()).status !== 200) {
        if (performance.now() - healedAt > slowestRecoveryMs) break
        await sleep(100)
      }
      const recoveryMs = performance.now() - healedAt
      const answered = await reads.stop()
      t.comment(`logins ${JSON.stringify(refused)} in ${percentiles(loginsMs)} ms, ${calls} calls`)
      t.comment(`others ${JSON.stringify(answered)} in ${percentiles(readsMs)} ms`)
      t.comment(`well again after ${Math.round(recoveryMs)} ms`)
      t.strictSame(Object.keys(refused), ['503'])
      t.ok(Math.max(...loginsMs) <= slowestRefusalMs)
      t.ok(calls <= mostCalls)
      t.strictSame(Object.keys(answered), ['right'])
      t.ok(recoveryMs <= slowestRecoveryMs)
    })
  }

  await t.test('nothing is sent where it sends us', async (t) => {
    t.equal(elsewhere.calls, 0)
  })

  await t.test('the log tells what is wrong, and no token', async (t) => {
    const lines = [...fleet.auths, ...fleet.gateways].flatMap((process) => process.lines)
    const reasons = new Set(lines.map(({ reason }) => reason))
    for (const reason of ['it takes too long', 'it answers 500', 'its answer is too long']) {
      t.ok(reasons.has(reason), reason)
    }
    t.ok(lines.some(({ msg }) => msg === 'every service account of the cluster may log in'))
    const log = JSON.stringify(lines)
    for (const secret of [serviceAccountToken, api.reviewerToken, clientToken]) {
      t.notOk(log.includes(secret))
      t.notOk(log.includes(secret.split('.').at(-1) ?? secret))
    }
  })
})

/** Somewhere that must not be called. */
async function startElsewhere(t: { teardown(work: () => void): void }) {
  let calls = 0
  const server = createServer((_request, response) => {
    calls += 1
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get calls() {
      return calls
    },
  }
}
