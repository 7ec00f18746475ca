import t from 'tap'
import { timeUntil } from '../support/load.ts'
import { getObject, isReady, listPods, namespace, type Pod } from './support/cluster.ts'
import { atMost } from './support/figures.ts'
import {
  account,
  deploymentOf,
  ensureInstalled,
  helm,
  install,
  openRelease,
  prepareNamespaces,
  releaseName,
  selectorOf,
  type Tier,
  tiers,
  upgrade,
} from './support/release.ts'
import { evaluation, withoutFailure } from './support/traffic.ts'

t.setTimeout(1_200_000)

/** How long it may take from `helm install` until all pods are ready, in seconds. */
const readyS = 60

/** Time in which pods that were replaced have ended, in milliseconds. */
const drainedMs = 60_000

async function podsOf(tier: Tier): Promise<readonly string[]> {
  return (await listPods(selectorOf(tier))).map(({ metadata }) => metadata.uid).sort()
}

async function allPods(): Promise<Readonly<Record<string, readonly string[]>>> {
  return Object.fromEntries(
    await Promise.all(tiers.map(async (tier) => [tier, await podsOf(tier)] as const)),
  )
}

t.test('an installation is ready within a minute, and answers', async (t) => {
  await prepareNamespaces()
  const startedAt = performance.now()
  await install()
  const areReady = async () => {
    const pods: readonly (readonly Pod[])[] = await Promise.all(
      tiers.map((tier) => listPods(selectorOf(tier))),
    )
    return pods.every((ofTier) => ofTier.length === 2 && ofTier.every(isReady))
  }
  await timeUntil(areReady, 300_000)
  atMost(
    t,
    'helm install: until all pods are ready',
    (performance.now() - startedAt) / 1000,
    readyS,
    's',
  )
  const { api } = await openRelease()
  const { status } = await api('GET', '/api/v1/namespaces/default')
  t.equal(status, 200, 'the first token is good')
})

t.test('an upgrade with the same values changes nothing', async (t) => {
  const release = await ensureInstalled()
  const before = { pods: await allPods(), manifest: await helm(['get', 'manifest', releaseName]) }
  await withoutFailure(t, release, 'helm upgrade with the same values', () => upgrade())
  const after = { pods: await allPods(), manifest: await helm(['get', 'manifest', releaseName]) }
  t.strictSame(after, before)
})

t.test(
  'an upgrade with another setting rolls what reads it, and a rollback undoes it',
  async (t) => {
    const release = await ensureInstalled()
    const before = await allPods()
    const asPage = { accept: 'text/html' }
    // Without it, a page of a few lines says what this is.
    const isServed = async () =>
      (await release.api('GET', '/', undefined, asPage)).text.includes('<script')
    t.ok(await isServed(), 'the web interface is served')
    await withoutFailure(t, release, 'helm upgrade with another setting', () =>
      upgrade({ config: { ui: { enabled: false } } }),
    )
    const after = await allPods()
    t.notSame(after.gateway, before.gateway, 'new gateways')
    t.strictSame(
      [after.auth, after.resource],
      [before.auth, before.resource],
      'others do not read it',
    )
    // A connection that is kept ends with its pod, which serves until its drain is over.
    const isGone = async () => !(await isServed())
    t.ok((await timeUntil(isGone, drainedMs)) < drainedMs, 'which do not serve the web interface')

    const { version } = await current()
    await withoutFailure(t, release, 'helm rollback', async () => {
      await helm(['rollback', releaseName, String(version - 1), '--wait', '--timeout', '220s'])
    })
    t.ok((await timeUntil(isServed, drainedMs)) < drainedMs, 'it is served again')
  },
)

async function current(): Promise<{ readonly version: number }> {
  return JSON.parse(await helm(['status', releaseName, '--output', 'json']))
}

t.test('the objects are as the chart says', async (t) => {
  const release = await ensureInstalled()
  for (const tier of tiers) {
    const { spec } = await getObject<{ spec: { strategy: unknown } }>(
      'deployment',
      deploymentOf(tier),
    )
    t.match(spec.strategy, { rollingUpdate: { maxUnavailable: 0 } }, tier)
  }
  const { status, text } = await release.api(evaluation.method, evaluation.path, evaluation.body)
  t.equal(status, 200)
  t.match(text, evaluation.expected)
})

t.test('helm test passes, and asks the example', async (t) => {
  const accounts = [`${namespace}:${account}`, `${namespace}:${releaseName}-example`]
  await ensureInstalled({
    example: { enabled: true },
    config: { authentication: { methods: { orchestrator: { service_accounts: accounts } } } },
  })
  const args = ['test', releaseName, '--logs', '--timeout', '120s']
  t.match(await helm(args), `http://${releaseName}-example:3000/?user=user-42 200`)
})
