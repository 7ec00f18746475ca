import t from 'tap'
import { kubectl, rolledOut } from './support/cluster.ts'
import { deploymentOf, ensureInstalled, tiers } from './support/release.ts'
import { withoutFailure } from './support/traffic.ts'

/** How often each tier is rolled; ten times at night. */
const rolls = Number(process.env.ROLLS ?? 2)

t.setTimeout(rolls * 900_000)

for (const tier of tiers) {
  t.test(`${tier}: all pods are replaced ${rolls} times, and no request fails`, async (t) => {
    const release = await ensureInstalled()
    await withoutFailure(t, release, `${rolls} rolls of ${tier}`, async () => {
      for (let i = 0; i < rolls; i += 1) {
        await kubectl(['rollout', 'restart', `deployment/${deploymentOf(tier)}`])
        await rolledOut(deploymentOf(tier))
      }
    })
  })
}
