import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createFlag } from '../../support/api.ts'
import { startBalancer } from '../../support/balancer.ts'
import { type CallCounter, startCallCounter } from '../../support/call-counter.ts'
import { figure } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles } from '../../support/load.ts'
import { learnAnswers, startMixedTraffic } from '../../support/mixed-traffic.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { untilReady } from '../../support/stack.ts'

/** How often a replica of each service is killed. */
const kills = Number(process.env.KILLS ?? 100)

/** Which of them are killed. */
const tiers = (process.env.TIERS ?? 'gateway auth resource').split(' ')

/** Requests; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 200)

/** From the start of a gateway until it is ready, in milliseconds. */
const readyMs = 3000

/** Until gateways use a replica again, in milliseconds: the other one is next. */
const settleMs = 1500

const loopback = '127.0.0.1'

const rows = { gateway: 'R-14', auth: 'R-10', resource: 'R-12' } as const

/** Two replicas of each service, and between gateways and the others what counts their calls. */
async function startAll(t: Test) {
  const counters = new Map<number, CallCounter>()
  const fleet = await startFleet(t, {
    auths: 2,
    resources: 2,
    gateways: 2,
    relay: async (_, port) => {
      const near = { host: loopback, port: 0 }
      const counter = await startCallCounter(t, near, { host: loopback, port })
      counters.set(port, counter)
      return counter.port
    },
  })
  const { api, token, gateways } = fleet
  await createFlag(api)
  const questions = await learnAnswers(api)
  const ports = gateways.map(({ port }) => port)
  const balancer = await startBalancer(t, ports)
  const { port } = balancer
  const mixed = await startMixedTraffic(t, api, { port, token, perSecond, questions })
  const countCalls = (port: number) => {
    const counter = counters.get(port)
    if (counter === undefined) throw new Error(`nothing counts the calls to ${port}`)
    return counter.countCut()
  }
  return { fleet, balancer, countCalls, ...mixed }
}

/** What processes said of their failures, the last of each. */
function warningsOf(processes: readonly ServiceProcess[]): string[] {
  return processes.flatMap(({ port, lines }) =>
    lines
      .filter(({ level }) => level !== 'info' && level !== 'debug')
      .slice(-20)
      .map((line) => `${port}: ${JSON.stringify(line)}`),
  )
}

for (const tier of ['gateway', 'auth', 'resource'] as const) {
  if (!tiers.includes(tier)) continue
  const name = `${tier} is killed ${kills} times: at most what it had in flight fails`
  t.test(name, { timeout: 60_000 + kills * 15_000 }, async (t) => {
    const { fleet, balancer, countCalls, traffic, findLost } = await startAll(t)
    const replicas = { gateway: fleet.gateways, auth: fleet.auths, resource: fleet.resources }[tier]
    const sum = { inFlight: 0, failed: 0, beyond: 0 }
    let slowestMs = 0
    for (let i = 0; i < kills; i += 1) {
      const replica = replicas[i % 2]
      if (replica === undefined) throw new Error('no replica')
      const { port } = replica
      const failedBefore = traffic.failed
      await replica.kill('SIGKILL')
      const inFlight = await (tier === 'gateway' ? balancer.countCut(port) : countCalls(port))
      balancer.leave(port)
      const startedAt = performance.now()
      await replica.restart()
      if (tier === 'gateway') {
        await untilReady(`http://${loopback}:${port}`)
        balancer.enter(port)
      }
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      await sleep(settleMs)
      const failed = traffic.failed - failedBefore
      sum.inFlight += inFlight
      sum.failed += failed
      sum.beyond += Math.max(failed - inFlight, 0)
      if (failed > inFlight) {
        const failures = traffic.failures.slice(failedBefore).join('; ')
        t.comment(`kill ${i}: ${inFlight} in flight, and failed: ${failures}`)
        for (const line of warningsOf(replicas)) t.comment(line)
      }
    }
    const { outcomes, tookMs } = await traffic.stop()
    t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
    t.comment(`${sum.failed} of ${sum.inFlight} in flight failed`)
    const row = rows[tier]
    const what = `requests that failed beyond those in flight, ${kills} kills`
    figure(t, row, what, { atMost: 0 }, sum.beyond)
    if (tier === 'gateway') {
      figure(t, row, 'ready after, at most', { atMost: readyMs, unit: 'ms' }, slowestMs)
    }
    const wrong = Object.keys(outcomes).filter((outcome) => outcome.includes('wrong'))
    t.strictSame(wrong, [])
    t.strictSame(await findLost(fleet.api), [])
  })
}
