import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag, createToken } from '../support/api.ts'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'
import { generateLoad } from '../support/load.generator.ts'
import { residentMiB } from '../support/process-stats.ts'
import { requestBytes } from '../support/raw-http.ts'

/** The limit of a gateway's container in the chart. */
const limitMiB = 512

/** Below the second after which a silent replica is left. */
const stallMs = 800

const batch = { requests: Array.from({ length: 1000 }, () => ({ flagKey: 'on' })) }

// All of them have been read and admitted, and each takes milliseconds.
t.test('a thousand batches that wait for one answer of auth', { timeout: 120_000 }, async (t) => {
  const env = { NODE_OPTIONS: `--max-old-space-size=${0.75 * limitMiB}` }
  const { gateways, auths, api } = await startFleet(t, { envOf: { gateway: env } })
  const [gateway] = gateways
  const [auth] = auths
  if (gateway === undefined || auth === undefined) throw new Error('one of them is missing')
  await createFlag(api)
  const { authorization } = await createToken(api)
  const body = JSON.stringify(batch)
  const request = requestBytes('/evaluate/v1/batch', body, { authorization }).toString('latin1')
  process.kill(auth.pid, 'SIGSTOP')
  const load = generateLoad(t, {
    port: gateway.port,
    requests: [request],
    perSecond: 4000,
    forMs: 1000,
    connections: 1000,
    heedsRetryAfter: true,
  })
  await sleep(stallMs)
  process.kill(auth.pid, 'SIGCONT')
  let mostMiB = 0
  let isOver = false
  const looking = (async () => {
    for (; !isOver; await sleep(100)) mostMiB = Math.max(mostMiB, residentMiB(gateway))
  })()
  const { answers, unanswered } = await load.finally(() => {
    isOver = true
  })
  await looking
  const statuses = Object.entries(answers).map(([status, { tookMs }]) => [status, tookMs.length])
  t.comment(Object.fromEntries(statuses))
  figure(t, 'R-19', 'resident', { atMost: limitMiB, unit: 'MiB' }, mostMiB)
  figure(t, 'R-19', 'unanswered', { atMost: 0 }, unanswered)
  t.strictSame(
    Object.keys(answers).filter((status) => status !== '200' && status !== '503'),
    [],
  )
  const after = await api('POST', '/evaluate/v1/boolean', { flagKey: 'on' })
  t.equal(after.status, 200, 'the gateway is there')
})
