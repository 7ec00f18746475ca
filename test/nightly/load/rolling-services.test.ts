import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { startBalancer } from '../../support/balancer.ts'
import { figure, wrongOf } from '../../support/figures.ts'
import { startFleet } from '../../support/fleet.ts'
import { makeLaterBuild } from '../../support/later-build.ts'
import { percentiles } from '../../support/load.ts'
import { learnAnswers, startMixedTraffic } from '../../support/mixed-traffic.ts'

/** How often a replica of each service is replaced. */
const rolls = Number(process.env.ROLLS ?? 20)

/** Requests; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 200)

/** As it is by default. */
const drain = '5s'

/** Until gateways use a replica again, in milliseconds: the other one is next. */
const settleMs = 1500

/** A table that requests read and write all the time. */
const tables = { auth: 'auth.authentications', resource: 'resource.flags' } as const

/** Of a setting that a replica has only from its start on; by turns. */
const poolSizes = ['8', '12'] as const

for (const tier of ['auth', 'resource'] as const) {
  const name =
    `of two replicas of ${tier}, one is replaced ${rolls} times, each time with another setting` +
    ' and one more migration: no request fails'
  t.test(name, { timeout: 60_000 + rolls * 40_000 }, async (t) => {
    const counts = { auths: 2, resources: 2, gateways: 2 }
    const fleet = await startFleet(t, { ...counts, env: { SVC_SERVER_DRAIN: drain } })
    const { api, token, gateways } = fleet
    const later = makeLaterBuild(t.testdir({}), tier)
    await createFlag(api)
    const questions = await learnAnswers(api)
    const ports = gateways.map(({ port }) => port)
    const { port } = await startBalancer(t, ports)
    const options = { port, token, perSecond, questions }
    const { traffic, findLost } = await startMixedTraffic(t, api, options)
    const replicas = tier === 'auth' ? fleet.auths : fleet.resources
    for (let i = 0; i < rolls; i += 1) {
      const replica = replicas[i % 2]
      if (i % 2 === 0) {
        later.addMigration(`expand_${i}`, `ALTER TABLE ${tables[tier]} ADD COLUMN more_${i} text;`)
      } else {
        const drop = `ALTER TABLE ${tables[tier]} DROP COLUMN more_${i - 1};`
        later.addMigration(`contract_${i}`, drop, true)
      }
      await replica?.kill('SIGTERM')
      await replica?.restart(later, { SVC_DB_MAX_CONNECTIONS: poolSizes[i % 2] ?? '' })
      await sleep(settleMs)
    }
    const { outcomes, tookMs } = await traffic.stop()
    t.comment(`${rolls} rolls: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
    const what = `failed requests in ${rolls} rolls of ${tier}, of ${tookMs.length}`
    figure(t, 'R-15', what, { atMost: 0 }, wrongOf(outcomes))
    t.strictSame(Object.keys(outcomes), ['right'])
    t.strictSame(await findLost(api), [])
    const applied = replicas.flatMap(({ lines }) =>
      lines.filter(({ msg }) => msg === 'applied migrations'),
    )
    t.ok(applied.length >= rolls, 'each roll has migrated')
  })
}
