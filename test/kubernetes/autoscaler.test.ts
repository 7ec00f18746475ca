import t from 'tap'
import { timeUntil } from '../support/load.ts'
import { allEnded, isReady, listPods } from './support/cluster.ts'
import { atMost } from './support/figures.ts'
import { ensureInstalled, selectorOf, upgrade } from './support/release.ts'
import { countOf, evaluation, startTraffic, usualRate } from './support/traffic.ts'

t.setTimeout(1_200_000)

/**
 * Some five times what two gateways may take by the target. Much more, and the client finds no processor while three
 * gateways start: this machine is the nodes, too.
 */
const perSecond = 2 * usualRate

/** How soon load over the target has made five gateways ready, in seconds. */
const upS = 90
/** How soon there are two again: the window of 20 s, and the drain of each. */
const downS = 180

const least = 2
const most = 5

const autoscaling = {
  gateway: {
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
    autoscaling: {
      enabled: true,
      minReplicas: least,
      maxReplicas: most,
      // Idle ones take a fifth of it, so that two are enough for little.
      targetCPUUtilizationPercentage: 70,
      behavior: { scaleDown: { stabilizationWindowSeconds: 20 } },
    },
  },
}

async function readyGateways(): Promise<number> {
  return (await listPods(selectorOf('gateway'))).filter(isReady).length
}

async function uids(): Promise<readonly string[]> {
  return (await listPods(selectorOf('gateway'))).map(({ metadata }) => metadata.uid).sort()
}

t.test(`load takes the gateway from ${least} to ${most} replicas, and its end back`, async (t) => {
  const release = await ensureInstalled()
  const given = await uids()
  await upgrade(autoscaling)
  const now = await uids()
  t.strictSame(
    given.filter((uid) => !now.includes(uid)),
    [],
    'to switch it on ends no gateway',
  )
  t.teardown(() => upgrade())
  const has = (count: number) => async () => (await readyGateways()) === count
  await timeUntil(has(least), 60_000)

  const load = startTraffic(t, release, { perSecond, requests: [evaluation] })
  const upMs = await timeUntil(has(most), 300_000)
  atMost(t, `autoscaler: from ${least} to ${most} gateways`, upMs / 1000, upS, 's')
  const up = await load.stop()
  t.strictSame(up.failed, {}, 'on the way up')

  const calm = startTraffic(t, release, { perSecond: 20, requests: [evaluation] })
  const downMs = await timeUntil(has(least), 600_000)
  atMost(t, `autoscaler: back to ${least} gateways`, downMs / 1000, downS, 's')
  await allEnded()
  const down = await calm.stop()
  t.strictSame(down.failed, {}, 'on the way down')
  const failed = countOf(up.failed) + countOf(down.failed)
  atMost(t, `autoscaler: failed of ${up.total + down.total}`, failed, 0)
})
