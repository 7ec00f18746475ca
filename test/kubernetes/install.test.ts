import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { timeUntil } from '../support/load.ts'
import {
  allEnded,
  apply,
  getObject,
  isReady,
  listPods,
  namespace,
  type Pod,
} from './support/cluster.ts'
import { atMost } from './support/figures.ts'
import {
  account,
  deploymentOf,
  ensureInstalled,
  helm,
  install,
  openRelease,
  prepareNamespaces,
  type Release,
  releaseName,
  rollback,
  selectorOf,
  type Tier,
  tiers,
  toSecret,
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

    await withoutFailure(t, release, 'helm rollback', rollback)
    t.ok((await timeUntil(isServed, drainedMs)) < drainedMs, 'it is served again')
  },
)

interface Deployed {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly volumes: readonly {
          readonly projected?: { readonly sources: readonly { readonly secret?: Named }[] }
        }[]
      }
    }
  }
}

interface Named {
  readonly name: string
}

/** The Secret that pods of a tier take `internal.secret` from. */
async function internalSecretOf(tier: Tier): Promise<string | undefined> {
  const { spec } = await getObject<Deployed>('deployment', deploymentOf(tier))
  const sources = spec.template.spec.volumes.flatMap(({ projected }) => projected?.sources ?? [])
  return sources.flatMap(({ secret }) => secret?.name ?? [])[0]
}

/** The content of the Secrets that the chart has made. */
async function madeSecrets(): Promise<readonly unknown[]> {
  const names = ['internal', 'changes', 'bootstrap'].map((part) => `${releaseName}-${part}`)
  return await Promise.all(
    names.map(async (name) => (await getObject<{ data: unknown }>('secret', name)).data),
  )
}

/** That every tier reads one Secret, when all pods before have ended, and that their calls are accepted. */
async function expectSecret(t: Test, { api }: Release, name: string, what: string): Promise<void> {
  await allEnded()
  t.strictSame(await Promise.all(tiers.map(internalSecretOf)), [name, name, name], what)
  const { status, text } = await api('GET', '/api/v1/namespaces/default')
  t.equal(status, 200, `${what}: the services accept each other: ${text}`)
}

const madeSecret = `${releaseName}-internal`

t.test('a secret is rotated, and rolled back and forth', async (t) => {
  const release = await ensureInstalled()
  const before = await madeSecrets()
  const content = { secret: randomBytes(32), assertion_key: randomBytes(32) }
  const hex = Object.entries(content).map(([key, value]) => [key, value.toString('hex')])
  await apply([toSecret('internal-2', Object.fromEntries(hex))])
  // What still has to hold meanwhile.
  const secretSettings = ['secret', 'assertion_key'].map((key) => ({
    setting: `internal.previous_${key}`,
    existingSecret: madeSecret,
    key,
  }))
  await upgrade({ internal: { existingSecret: 'internal-2' }, secretSettings })
  await expectSecret(t, release, 'internal-2', 'helm upgrade')
  await rollback()
  await expectSecret(t, release, madeSecret, 'helm rollback')
  await rollback()
  await expectSecret(t, release, 'internal-2', 'helm rollback of that')
  await upgrade()
  await expectSecret(t, release, madeSecret, 'helm upgrade to the Secret that was made')
  t.strictSame(await madeSecrets(), before, 'those that were made are as they were')
})

t.test('the first token stays when its method is off for a while', async (t) => {
  const release = await ensureInstalled()
  const before = await madeSecrets()
  await upgrade({ config: { authentication: { methods: { token: { enabled: false } } } } })
  await rollback()
  await expectSecret(t, release, madeSecret, 'helm rollback')
  t.strictSame(await madeSecrets(), before)
})

t.test('an upgrade that names a Secret that is not there is rolled back', async (t) => {
  const release = await ensureInstalled()
  const before = await allPods()
  const wrong = { internal: { existingSecret: 'internal-3' } }
  const rolledBack = { message: 'has been rolled back due to atomic being set' }
  await t.rejects(upgrade(wrong, '--atomic', '--timeout', '40s'), rolledBack)
  await expectSecret(t, release, madeSecret, 'helm upgrade --atomic')
  t.strictSame(await allPods(), before, 'the pods are those from before')
})

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
