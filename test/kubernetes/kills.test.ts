import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { timeUntil } from '../support/load.ts'
import { isReady, killContainer, listPods, type Pod } from './support/cluster.ts'
import { note } from './support/figures.ts'
import { ensureInstalled, selectorOf, type Tier, tiers } from './support/release.ts'
import { countOf, startTraffic, type TrafficResult } from './support/traffic.ts'

/** How often a container of each service is killed. */
const kills = Number(process.env.KILLS ?? 3)

t.setTimeout(kills * 200_000 + 300_000)

/** Until the Service leaves it out, the address of a gateway that ended accepts nothing. */
const notAccepted = /ECONNREFUSED/

for (const tier of tiers) {
  t.test(`${tier}: ${kills} containers are killed; only what was under way fails`, async (t) => {
    const release = await ensureInstalled()
    let cut = 0
    let refused = 0
    let total = 0
    for (let i = 0; i < kills; i += 1) {
      const pods = (await listPods(selectorOf(tier))).filter(isReady)
      const victim = pods[i % pods.length]
      if (victim === undefined) throw new Error(`${tier} has no pod that is ready`)
      const traffic = startTraffic(t, release)
      await sleep(1000)
      await killContainer(victim)
      t.ok((await timeUntil(() => hasRestarted(tier, victim), 120_000)) < 120_000)
      const { failed, total: requests } = await traffic.stop()
      const [outside, inside] = divide(failed, ([outcome]) => notAccepted.test(outcome))
      t.ok(
        countOf(inside) <= traffic.mostUnderWay(),
        `at most the ${traffic.mostUnderWay()} that were under way: ${JSON.stringify(inside)}`,
      )
      if (tier !== 'gateway') t.strictSame(outside, {})
      total += requests
      cut += countOf(inside)
      refused += countOf(outside)
    }
    const value = `${cut} + ${refused}`
    const what = `${kills} kills of ${tier}: of ${total} cut + not accepted`
    note({ what, value, limit: 'cut ≤ under way' })
  })
}

async function hasRestarted(tier: Tier, { metadata, status }: Pod): Promise<boolean> {
  const pods = await listPods(selectorOf(tier))
  const found = pods.find((pod) => pod.metadata.uid === metadata.uid)
  const countOfRestarts = (of: Pod['status']) => of.containerStatuses?.[0]?.restartCount ?? 0
  if (found === undefined || !isReady(found)) return false
  return countOfRestarts(found.status) > countOfRestarts(status)
}

function divide(
  failed: TrafficResult['failed'],
  isFirst: (entry: readonly [string, number]) => boolean,
): readonly [TrafficResult['failed'], TrafficResult['failed']] {
  const entries = Object.entries(failed)
  return [
    Object.fromEntries(entries.filter(isFirst)),
    Object.fromEntries(entries.filter((entry) => !isFirst(entry))),
  ]
}
