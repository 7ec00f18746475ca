import t from 'tap'
import { timeUntil } from '../support/load.ts'
import { isReady, kubectl, listPods, namespace, type Pod, tryKubectl } from './support/cluster.ts'
import { atMost, note } from './support/figures.ts'
import { ensureInstalled, selectorOf, tiers } from './support/release.ts'
import { withoutFailure } from './support/traffic.ts'

t.setTimeout(900_000)

/** PostgreSQL and Redis are on the other one. */
const drained = 'node2'

async function evict({ metadata }: Pod): Promise<'evicted' | 'refused'> {
  const path = `/api/v1/namespaces/${namespace}/pods/${metadata.name}/eviction`
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: metadata.name, namespace },
  }
  const { code, stderr } = await tryKubectl(['create', '--raw', path, '--filename', '-'], {
    input: JSON.stringify(eviction),
  })
  if (code === 0) return 'evicted'
  if (stderr.includes('disruption budget')) return 'refused'
  throw new Error(stderr)
}

t.test('a node is drained under traffic, and no request fails', async (t) => {
  const release = await ensureInstalled()
  t.teardown(() => kubectl(['uncordon', drained]).then(() => {}))
  const all = async () =>
    (await Promise.all(tiers.map((tier) => listPods(selectorOf(tier))))).flat()
  const before = await all()
  const onBoth = new Set(before.map(({ spec }) => spec.nodeName))
  t.equal(onBoth.size, 2, 'the pods are on both nodes')
  await withoutFailure(
    t,
    release,
    'drain of one of two nodes at 100/s',
    async () => {
      const args = ['drain', drained, '--ignore-daemonsets', '--delete-emptydir-data']
      await kubectl([...args, '--timeout=240s'], { limitMs: 250_000 })
      const areBack = async () => {
        const pods = await all()
        return pods.length === before.length && pods.every(isReady)
      }
      t.ok((await timeUntil(areBack, 120_000)) < 120_000, 'all are ready again')
    },
    { perSecond: 100 },
  )
  t.ok(
    (await all()).every(({ spec }) => spec.nodeName !== drained),
    'all are on the other node',
  )
})

t.test(
  'both pods of a tier are evicted as soon as the budget lets, and no request fails',
  async (t) => {
    const release = await ensureInstalled()
    for (const tier of ['auth', 'resource'] as const) {
      await withoutFailure(t, release, `evictions of ${tier}, one after the other`, async () => {
        for (const pod of await listPods(selectorOf(tier))) {
          const isEvicted = async () => (await evict(pod)) === 'evicted'
          t.ok((await timeUntil(isEvicted, 120_000)) < 120_000, pod.metadata.name)
        }
      })
    }
  },
)

t.test('an eviction that would break a budget is refused', async (t) => {
  const release = await ensureInstalled()
  t.teardown(() => kubectl(['uncordon', 'node1', 'node2']).then(() => {}))
  await withoutFailure(t, release, 'evictions', async () => {
    // So that what was evicted finds no other place.
    await kubectl(['cordon', 'node1', 'node2'])
    let broken = 0
    for (const tier of tiers) {
      const [first, second] = (await listPods(selectorOf(tier))).filter(isReady)
      if (first === undefined || second === undefined) throw new Error(`${tier} has not two pods`)
      t.equal(await evict(first), 'evicted', `the first of ${tier}`)
      const outcome = await evict(second)
      t.equal(outcome, 'refused', `and not the second`)
      if (outcome !== 'refused') broken += 1
    }
    note({ what: 'evictions that broke a budget', value: `${broken} of 3`, limit: '≤ 0' })
    await kubectl(['uncordon', 'node1', 'node2'])
    const areBack = async () => {
      const pods = (await Promise.all(tiers.map((tier) => listPods(selectorOf(tier))))).flat()
      return pods.length === 6 && pods.every(isReady)
    }
    t.ok((await timeUntil(areBack, 120_000)) < 120_000, 'all are ready again')
  })
  atMost(t, 'pods after the evictions', (await listPods(selectorOf('gateway'))).length, 2)
})
