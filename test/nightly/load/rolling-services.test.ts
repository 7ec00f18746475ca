import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { createFlag } from '../../support/api.ts'
import { startBalancer } from '../../support/balancer.ts'
import { startFleet } from '../../support/fleet.ts'
import { percentiles } from '../../support/load.ts'
import { learnAnswers, startTraffic } from '../../support/traffic.ts'

/** How often a replica of each service is replaced. */
const rolls = Number(process.env.ROLLS ?? 20)

/** Requests; fewer on a machine that has other work. */
const perSecond = Number(process.env.PER_SECOND ?? 200)

/** As it is by default. */
const drain = '5s'

for (const tier of ['auth', 'resource'] as const) {
  const name = `of two replicas of ${tier}, one is replaced ${rolls} times: no request fails`
  t.test(name, { timeout: 900_000 }, async (t) => {
    const counts = { auths: 2, resources: 2, gateways: 2 }
    const fleet = await startFleet(t, { ...counts, env: { SVC_SERVER_DRAIN: drain } })
    const { api, token, gateways } = fleet
    await createFlag(api)
    const questions = await learnAnswers(api)
    const ports = gateways.map(({ port }) => port)
    const { port } = await startBalancer(t, ports)
    const traffic = await startTraffic(t, api, { port, token, perSecond, questions })
    const replicas = tier === 'auth' ? fleet.auths : fleet.resources
    for (let i = 0; i < rolls; i += 1) {
      const replica = replicas[i % 2]
      await replica?.kill('SIGTERM')
      await replica?.restart()
      // Until gateways have found it again: the other one is next.
      await sleep(1500)
    }
    const { outcomes, tookMs } = await traffic.stop()
    t.comment(`${rolls} rolls: ${JSON.stringify(outcomes)}; ${percentiles(tookMs)} ms`)
    t.strictSame(Object.keys(outcomes), ['right'])
    t.strictSame(await traffic.findLost(api), [])
  })
}
