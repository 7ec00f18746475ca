import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '@svc/local/ports'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { generateLoad, type LoadReport, tookOf } from '../../support/load.generator.ts'
import { quantile } from '../../support/load.ts'
import { describeMachine, pinClient, pinServer } from '../../support/machine.ts'
import { parseMetrics, sumOf as samplesOf } from '../../support/metrics.ts'
import { residentMiB } from '../../support/process-stats.ts'
import { requestBytes } from '../../support/raw-http.ts'

/** How long the overload lasts, unless the environment says less, and how much it is. */
const overloadMs = Number(process.env.OVERLOAD_SECONDS ?? 60) * 1000
const times = 10

/** How long the capacity is measured, and how many requests are under way meanwhile. */
const capacityMs = Number(process.env.OVERLOAD_SECONDS ?? 60) < 20 ? 4000 : 10_000
const atOnce = 64

/** Only the kinds whose name has this in it. */
const only = process.env.OVERLOAD_KIND ?? ''

/** Connections of the overload. */
const connections = 2000

const row = 'R-19'

/** What has to hold meanwhile. */
const limits = { goodput: 0.8, acceptedMs: 1000, refusedMs: 50, recoveryMs: 5000, residentMiB: 512 }

/** More often than a kubelet asks, and with half of the patience that the chart gives it. */
const probe = { intervalMs: 500, timeoutMs: 2500 }

/** New connections while the gateway refuses, and when they come, in milliseconds. */
const newcomers = 500
const comeAfterMs = 5000

const flagPath = '/api/v1/namespaces/default/flags/on'
const batch = { requests: Array.from({ length: 1000 }, () => ({ flagKey: 'on' })) }

/**
 * A refusal takes up to a tenth of what a call of a service does, and a twentieth of a large batch, most of it in Node.js:
 * there clients wait as they are told, or less than is held is left for answers (docs/decisions/0050-load-shedding.md).
 * Those of evaluations try again at once.
 */
const allKinds = [
  { name: 'evaluations', method: 'POST', path: '/evaluate/v1/boolean', body: { flagKey: 'on' } },
  {
    name: 'batches of 1,000',
    method: 'POST',
    path: '/evaluate/v1/batch',
    body: batch,
    heedsRetryAfter: true,
  },
  {
    name: 'batches of 1,000 that are tried again at once',
    method: 'POST',
    path: '/evaluate/v1/batch',
    body: batch,
  },
  { name: 'reads of a flag', method: 'GET', path: flagPath, heedsRetryAfter: true },
  {
    name: 'writes of a flag',
    method: 'PUT',
    path: flagPath,
    body: { name: 'on', enabled: true },
    heedsRetryAfter: true,
  },
] as const
const kinds = allKinds.filter(({ name }) => name.includes(only))

t.test(`a gateway at ${times} times its capacity`, { timeout: 900_000 }, async (t) => {
  // As where the gateway has a machine of its own: neither clients nor the services take from it.
  pinClient((line) => t.comment(line))
  const healthPort = await findFreePort()
  const { gateways, api, token } = await startFleet(t, {
    envOf: {
      gateway: {
        SVC_METRICS_PORT: String(healthPort),
        NODE_OPTIONS: `--max-old-space-size=${0.75 * limits.residentMiB}`,
      },
    },
  })
  const [gateway] = gateways
  if (gateway === undefined) throw new Error('there is no gateway')
  pinServer(gateway.pid)
  t.comment(describeMachine())
  await createFlag(api)
  let refusedInAll = 0

  for (const { name, method, path, ...rest } of kinds) {
    await t.test(name, async (t) => {
      const body = 'body' in rest ? JSON.stringify(rest.body) : ''
      const headers = { authorization: `Bearer ${token}` }
      const request = requestBytes(path, body, headers, method).toString('latin1')
      const load = {
        port: gateway.port,
        requests: [request],
        heedsRetryAfter: 'heedsRetryAfter' in rest,
      }
      const usual = await generateLoad(t, {
        ...load,
        // More than it can: as many as are answered are sent.
        perSecond: 100_000,
        forMs: capacityMs,
        connections: atOnce,
      })
      // The first second warms up, and the last is not whole.
      const capacity = meanOf(usual.goodPerSecond.slice(1, capacityMs / 1000))

      const watching = watch(gateway, healthPort)
      const overload = await generateLoad(t, {
        ...load,
        perSecond: times * capacity,
        forMs: overloadMs,
        connections,
      })
      const after = await generateLoad(t, {
        ...load,
        perSecond: capacity / 2,
        forMs: 2 * limits.recoveryMs,
        connections,
      })
      const watched = await watching.stop()
      const offered = (overload.sent + overload.unsent) / (overloadMs / 1000) / capacity
      t.comment(
        `capacity ${Math.round(capacity)}/s, offered ${offered.toFixed(1)} times that; ` +
          `${overload.unsent} found no connection; ${describeAnswers(overload)}`,
      )
      const good = overload.answers['200']?.tookMs.filter((ms) => ms <= limits.acceptedMs) ?? []
      const goodput = good.length / (overloadMs / 1000) / capacity
      const accepted = tookOf(overload, '200')
      const refused = tookOf(overload, '429', '503')
      const others = Object.keys(overload.answers).filter((status) => !/200|429|503/.test(status))
      const hold = (what: string, bound: Parameters<typeof figure>[3], measured: number) =>
        figure(t, row, `${name}: ${what}`, bound, measured)
      hold('goodput of the capacity', { atLeast: limits.goodput }, goodput)
      hold('p99 of accepted ones', { atMost: limits.acceptedMs, unit: 'ms' }, accepted.p99)
      // Of a burst of changes the resource service refuses some, and counts them itself.
      if (method !== 'PUT') refusedInAll += refused.count
      if (refused.count > 0) {
        hold('p99 of refused ones', { atMost: limits.refusedMs, unit: 'ms' }, refused.p99)
        const later = overload.answers['503']?.tookMs.slice(connections) ?? []
        t.comment(
          `after the first ${connections} of them: p99 ${quantile(later, 0.99).toFixed(1)} ms`,
        )
      }
      const silent = ['429', '503'].map((status) => overload.answers[status]?.withoutRetryAfter)
      hold('refused without Retry-After', { atMost: 0 }, sumOf(silent.map((count = 0) => count)))
      hold('unanswered', { atMost: 0 }, overload.unanswered + others.length)
      hold('resident', { atMost: limits.residentMiB, unit: 'MiB' }, watched.residentMiB)
      hold('probes that failed', { atMost: 0 }, watched.failed)
      hold(
        'normal again after',
        { atMost: limits.recoveryMs, unit: 'ms' },
        recoveryOf(after, capacity / 2),
      )
    })
  }

  await t.test(
    'clients that come meanwhile',
    { skip: !'clients that come meanwhile'.includes(only) },
    async (t) => {
      const headers = { authorization: `Bearer ${token}` }
      const load = (path: string, body: object) => ({
        port: gateway.port,
        requests: [requestBytes(path, JSON.stringify(body), headers).toString('latin1')],
      })
      const busy = generateLoad(t, {
        ...load('/evaluate/v1/batch', batch),
        perSecond: 100_000,
        forMs: 2 * comeAfterMs,
        connections: newcomers,
      })
      await sleep(comeAfterMs)
      const came = await generateLoad(t, {
        ...load('/evaluate/v1/boolean', { flagKey: 'on' }),
        perSecond: newcomers,
        forMs: 1000,
        connections: newcomers,
      })
      const { p50, p99 } = tookOf(came, '200')
      const others = await busy
      refusedInAll += tookOf(others, '429', '503').count
      t.comment(`p50 ${p50.toFixed(1)} ms; ${describeAnswers(others)}`)
      const bound = { atMost: limits.acceptedMs, unit: 'ms' }
      figure(t, row, 'p99 of evaluations by clients that come meanwhile', bound, p99)
      figure(
        t,
        row,
        'clients that come meanwhile and get no answer',
        { atMost: 0 },
        came.unanswered,
      )
    },
  )

  const metrics = await fetch(`http://127.0.0.1:${healthPort}/metrics`)
  const samples = parseMetrics(await metrics.text())
  const counted = samplesOf(samples, 'svc_refused_total', { reason: 'overload' }) ?? 0
  t.ok(refusedInAll > 0 && counted >= refusedInAll, `${counted} are counted of ${refusedInAll}`)
})

/** Asks the health port as a kubelet does, and looks at the memory. */
function watch(gateway: { readonly pid: number }, healthPort: number) {
  const found = { failed: 0, residentMiB: 0 }
  let isOver = false
  const look = async () => {
    for (const path of ['/healthz', '/readyz']) {
      const signal = AbortSignal.timeout(probe.timeoutMs)
      const answer = await fetch(`http://127.0.0.1:${healthPort}${path}`, { signal }).catch(
        () => {},
      )
      await answer?.body?.cancel()
      if (answer?.status !== 200) found.failed += 1
    }
    found.residentMiB = Math.max(found.residentMiB, residentMiB(gateway))
  }
  const watching = (async () => {
    for (; !isOver; await sleep(probe.intervalMs)) await look()
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return found
    },
  }
}

/** @returns the end of the last second of whose requests fewer than usual were answered in time, in milliseconds */
function recoveryOf({ promptPerSecond }: LoadReport, perSecond: number): number {
  const whole = promptPerSecond.slice(0, (2 * limits.recoveryMs) / 1000)
  return 1000 * (whole.findLastIndex((count) => count < 0.95 * perSecond) + 1)
}

function describeAnswers(report: LoadReport): string {
  return Object.keys(report.answers)
    .map((status) => {
      const { count, p50, p99, max } = tookOf(report, status)
      const [low, high, most] = [p50, p99, max].map((ms) => ms.toFixed(1))
      const text = status === '200' ? '' : ` ${report.answers[status]?.first}`
      return `${status}: ${count}, p50 ${low} p99 ${high} max ${most} ms${text}`
    })
    .join('; ')
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]) => sumOf(values) / values.length
