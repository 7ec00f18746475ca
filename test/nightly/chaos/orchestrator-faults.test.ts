import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts'
import {
  drips,
  floods,
  hangs,
  hangsUp,
  redirects,
  type ServerFault,
  says,
} from '../../support/faults.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { call } from '../../support/http.ts'
import { listen } from '../../support/listen.ts'
import { percentiles, startLoad, timeUntil } from '../../support/load.ts'
import { startOrchestratorApi } from '../../support/orchestrator-api.ts'

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
  let callsElsewhere = 0
  const elsewhere = createServer((_request, response) => {
    callsElsewhere += 1
    response.end('{}')
  })
  const elsewherePort = await listen(t, elsewhere)
  const fleet = await startFleet(t, {
    env: {
      ...api.env,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_API_URL: `https://${link.address}`,
      SVC_AUTHENTICATION_METHODS_ORCHESTRATOR_SERVICE_ACCOUNTS: '*',
      SVC_LOG_LEVEL: 'trace',
    },
  })
  const [url] = fleet.urls
  await createFlag(fleet.api)
  const serviceAccountToken = api.tokenOf('shop:client', { audiences: ['flags'] })
  const exchange = () => call(url, 'POST', path, { serviceAccountToken })
  const { clientToken } = (await exchange()).body as { clientToken: string }
  const authorization = `Bearer ${clientToken}`

  const question = { flagKey: 'on', entityId: 'alice' }
  let count = 0
  const read = async () => {
    count += 1
    const { status, text } = await (count % 2 === 0
      ? call(url, 'POST', '/evaluate/v1/boolean', question, { authorization })
      : call(url, 'GET', '/auth/v1/self', undefined, { authorization }))
    return status === 200 ? 'right' : `${status} ${text}`
  }
  const login = async () => String((await exchange()).status)

  const links: Readonly<Record<string, Fault>> = {
    'it refuses connections': 'cut',
    'it takes connections and says nothing': 'freeze',
    'its bytes drip': { bytesPerSecond: 200 },
  }
  const serverFaults: Readonly<Record<string, ServerFault>> = {
    'it never answers': hangs,
    'it begins to answer, and drips': drips,
    'its answer does not end': floods,
    'it fails': says(500, '{}'),
    'it lets us ask no more': says(403, '{}'),
    'it sends us elsewhere': redirects(`http://127.0.0.1:${elsewherePort}/`),
    'it speaks in tongues': says(201, '<html>'),
    'it hangs up': hangsUp,
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
      const callsBefore = api.calls
      begin()
      const reads = startLoad(readsPerSecond, read)
      const logins = startLoad(loginsPerSecond, login)
      await sleep(faultMs)
      const refused = await logins.stop()
      const calls = api.calls - callsBefore
      link.set('none')
      api.fault = undefined
      const isWell = async () => (await exchange()).status === 200
      const recoveryMs = await timeUntil(isWell, slowestRecoveryMs)
      const answered = await reads.stop()
      t.comment(
        `logins ${JSON.stringify(refused.outcomes)} in ${percentiles(refused.tookMs)} ms, ${calls} calls`,
      )
      t.comment(`others ${JSON.stringify(answered.outcomes)} in ${percentiles(answered.tookMs)} ms`)
      t.comment(`well again after ${recoveryMs} ms`)
      t.strictSame(Object.keys(refused.outcomes), ['503'])
      const most = { atMost: slowestRefusalMs, unit: 'ms' }
      figure(t, 'R-23', `API server, ${name}: refused in`, most, Math.max(...refused.tookMs))
      t.ok(calls <= mostCalls)
      const failed = wrongOf(answered.outcomes)
      figure(t, 'R-23', `API server, ${name}: others failed`, { atMost: 0 }, failed)
      t.ok(recoveryMs <= slowestRecoveryMs)
    })
  }

  await t.test('nothing is sent where it sends us', async (t) => {
    t.equal(callsElsewhere, 0)
  })

  await t.test('the log says what is wrong, and no token', async (t) => {
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
