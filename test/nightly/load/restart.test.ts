import { setTimeout as sleep } from 'node:timers/promises'
import { createTestDatabase } from '@svc/database/testing'
import { loadDemo } from '@svc/local/demo'
import t, { type Test } from 'tap'
import { startBalancer } from '../../support/balancer.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { type Fleet, startFleet } from '../../support/fleet.ts'
import { percentiles } from '../../support/load.ts'
import { makeManyFlags, nameOfCopy } from '../../support/many-flags.ts'
import { logManyRows, makeManyTokens } from '../../support/many-rows.ts'
import { learnAnswers, startMixedTraffic } from '../../support/mixed-traffic.ts'
import type { ServiceProcess } from '../../support/service-process.ts'
import { untilReady } from '../../support/stack.ts'

/** From the start of a process until it is ready, in milliseconds. */
const limits = { gateway: 3000, resource: 10_000, auth: 3000 }

/** How long a gateway may leave a probe without an answer while it takes everything in. */
const maxSilenceMs = 250

/** A flag with three variants, a rule for a segment, and a distribution to each of the variants. */
const many = {
  namespaceKeys: Array.from({ length: 100 }, (_, i) => `n${i}`),
  count: 1000,
  copied: ['theme-color'],
}

const tokens = 20_000

/** Events of auth and changes of namespaces. */
const loggedRows = Number(process.env.LOGGED_ROWS ?? 1_000_000)

/** Requests while one of two is restarted; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 200)

/** As it is by default. */
const drain = '5s'

const inMs = (atMost: number) => ({ atMost, unit: 'ms' })

t.setTimeout(900_000)

const title = `100 namespaces of 1,000 flags, ${tokens} tokens and ${loggedRows} logged rows`
t.test(`${title} do not make a restart long`, async (t) => {
  const db = await createTestDatabase(t)
  const fleet = await startFleet(t, {
    databaseUrl: db.url,
    gateways: 2,
    auths: 2,
    resources: 2,
    env: { SVC_SERVER_DRAIN: drain },
  })
  const { auths, resources, gateways } = fleet
  await loadDemo(fleet.urls[0], fleet.token)
  await Promise.all([...gateways, ...resources, ...auths].map((one) => one.kill()))
  await makeManyTokens(db, tokens)
  await logManyRows(db, many.namespaceKeys, loggedRows)
  await makeManyFlags(db, many)

  await t.test('of an auth replica, which is ready when it listens', async (t) => {
    figure(
      t,
      'R-20',
      'an auth replica is ready after',
      inMs(limits.auth),
      await timeStart(auths[0]),
    )
  })

  await t.test('of a resource replica, which is ready when it listens', async (t) => {
    const tookMs = await timeStart(resources[0])
    figure(t, 'R-20', 'a resource replica is ready after', inMs(limits.resource), tookMs)
  })

  await t.test('of a gateway', async (t) => {
    const startedAt = performance.now()
    const listensAfterMs = await timeStart(gateways[0])
    const silenceMs = await longestSilence(`${fleet.urls[0]}/readyz`)
    const tookMs = Math.round(performance.now() - startedAt)
    t.comment(`${tookMs} ms, of which ${listensAfterMs} until it listens`)
    figure(t, 'R-20', 'a gateway is ready after', inMs(limits.gateway), tookMs)
    figure(t, 'R-20', 'a probe of it waits for, at most', inMs(maxSilenceMs), silenceMs)
  })

  await t.test('and all of it is there', async (t) => {
    for (const namespaceKey of many.namespaceKeys) {
      const question = {
        namespaceKey,
        flagKey: nameOfCopy(many, many.count - 1),
        entityId: 'e',
        context: { country: 'FR' },
      }
      const { body } = await fleet.api('POST', '/evaluate/v1/variant', question)
      t.match(body, { match: true, segmentKeys: ['eu-customers'] })
    }
  })

  await t.test('and no request fails while one of two is restarted', async (t) => {
    for (const [, other] of [auths, resources, gateways]) await other?.restart()
    await Promise.all(fleet.urls.map(untilReady))
    await restartUnderTraffic(t, fleet)
  })
})

/** @returns how long it takes until it listens, in milliseconds */
async function timeStart(process: ServiceProcess | undefined): Promise<number> {
  const startedAt = performance.now()
  await process?.restart()
  return Math.round(performance.now() - startedAt)
}

async function restartUnderTraffic(t: Test, fleet: Fleet): Promise<void> {
  const { api, token, auths, resources, gateways } = fleet
  const questions = await learnAnswers(api)
  const ports = gateways.map(({ port }) => port)
  const balancer = await startBalancer(t, ports)
  const options = { port: balancer.port, token, perSecond, questions }
  const { traffic, findLost } = await startMixedTraffic(t, api, options)
  for (const [one] of [auths, resources, gateways]) {
    if (one === undefined) throw new Error('no replica')
    const ended = one.kill('SIGTERM')
    // As soon as it is not ready.
    balancer.leave(one.port)
    await ended
    await one.restart()
    if (one !== gateways[0]) continue
    await untilReady(fleet.urls[0])
    balancer.enter(one.port)
  }
  await sleep(1000)
  const { outcomes, tookMs } = await traffic.stop()
  t.comment(`${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
  const what = `failed requests while one of two is restarted, of ${tookMs.length}`
  figure(t, 'R-20', what, { atMost: 0 }, wrongOf(outcomes))
  t.strictSame(await findLost(api), [])
}

/** Asks until the answer is 200. @returns how long an answer took at most, in milliseconds */
async function longestSilence(url: string): Promise<number> {
  for (let longestMs = 0; ; await sleep(2)) {
    const askedAt = performance.now()
    const answer = await fetch(url)
    await answer.body?.cancel()
    longestMs = Math.max(longestMs, performance.now() - askedAt)
    if (answer.ok) return Math.round(longestMs)
  }
}
