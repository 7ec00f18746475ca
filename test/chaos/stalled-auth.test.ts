import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { createFlag, createToken } from '../support/api.ts'
import { figure } from '../support/figures.ts'
import { startFleet } from '../support/fleet.ts'
import { generateLoad, type LoadReport, tookOf } from '../support/load.generator.ts'
import { openFiles, residentMiB } from '../support/process-stats.ts'
import { requestBytes } from '../support/raw-http.ts'
import type { ServiceProcess } from '../support/service-process.ts'

/** The limit of a gateway's container in the chart. */
const limitMiB = 512

const row = 'R-19'
const batches = 700
const batch = { requests: Array.from({ length: 1000 }, () => ({ flagKey: 'on' })) }

t.setTimeout(240_000)

async function start(t: Test) {
  const env = { NODE_OPTIONS: `--max-old-space-size=${0.75 * limitMiB}` }
  const { gateways, auths, api } = await startFleet(t, { envOf: { gateway: env } })
  const [gateway] = gateways
  const [auth] = auths
  if (gateway === undefined || auth === undefined) throw new Error('one of them is missing')
  await createFlag(api)
  const { authorization } = await createToken(api)
  /** A batch on each connection. Some may be refused, and come again. */
  const load = () => {
    const body = JSON.stringify(batch)
    const request = requestBytes('/evaluate/v1/batch', body, { authorization }).toString('latin1')
    const parts = { port: gateway.port, requests: [request], heedsRetryAfter: true }
    return generateLoad(t, { ...parts, perSecond: 4000, forMs: 1000, connections: batches })
  }
  const ask = () => api('POST', '/evaluate/v1/boolean', { flagKey: 'on' }, { authorization })
  return { gateway, auth, load, ask }
}

/** Looks at the memory of a process until `work` is done, or it is gone. */
async function watch<T>(process: ServiceProcess, work: Promise<T>) {
  let mostMiB = 0
  const look = () => {
    if (existsSync(`/proc/${process.pid}`)) mostMiB = Math.max(mostMiB, residentMiB(process))
  }
  const looking = setInterval(look, 50)
  try {
    return { result: await work, mostMiB }
  } finally {
    clearInterval(looking)
  }
}

/** Each was evaluated or refused. A slower machine refuses more of them, and may ask auth in vain for two seconds (504). */
function holds(t: Test, result: LoadReport, mostMiB: number) {
  const good = tookOf(result, '200')
  const refused = tookOf(result, '503', '504')
  t.comment(
    `${result.sent} sent, ${good.count} answers, p50 ${good.p50} ms, ${refused.count} refused`,
  )
  t.ok(result.sent > batches / 2 && good.count > 0, 'many were sent, and some evaluated')
  t.equal(good.count + refused.count + result.unanswered, result.sent, 'nothing else is answered')
  figure(t, row, 'resident', { atMost: limitMiB, unit: 'MiB' }, mostMiB)
  figure(t, row, 'unanswered', { atMost: 0 }, result.unanswered)
}

// All of them have been read and admitted, and each takes milliseconds.
t.test('batches that wait for the first answer about their token', async (t) => {
  const { gateway, auth, load } = await start(t)
  const filesBefore = openFiles(gateway)
  process.kill(auth.pid, 'SIGSTOP')
  const loading = watch(gateway, load())
  await waitFor(() => openFiles(gateway) > filesBefore + batches / 2)
  // Below the second after which a silent replica is left.
  await sleep(500)
  process.kill(auth.pid, 'SIGCONT')
  const { result, mostMiB } = await loading
  holds(t, result, mostMiB)
  t.ok(tookOf(result, '200').p50 > 400, 'they have waited')
})

t.test('batches that wait for auth in vain, and are answered without', async (t) => {
  const { gateway, auth, load, ask } = await start(t)
  t.equal((await ask()).status, 200, 'the token is known')
  process.kill(auth.pid, 'SIGSTOP')
  // What is known of it is too old by then, as revocations are no longer followed.
  await sleep(4000)
  const { result, mostMiB } = await watch(gateway, load())
  process.kill(auth.pid, 'SIGCONT')
  holds(t, result, mostMiB)
})

t.test('batches with a token that is not known, while auth does not answer', async (t) => {
  const { gateway, auth, load } = await start(t)
  process.kill(auth.pid, 'SIGSTOP')
  const { result, mostMiB } = await watch(gateway, load())
  process.kill(auth.pid, 'SIGCONT')
  const refused = tookOf(result, '503', '504')
  t.comment(`${result.sent} sent, ${refused.count} refused, p99 ${refused.p99} ms`)
  t.ok(result.sent > batches / 2, 'many were sent')
  t.equal(refused.count + result.unanswered, result.sent, 'nothing else is answered')
  figure(t, row, 'resident', { atMost: limitMiB, unit: 'MiB' }, mostMiB)
  figure(t, row, 'unanswered', { atMost: 0 }, result.unanswered)
})
