import t from 'tap'
import { restricted } from './support/application.ts'
import { apply, kubectl, listPods, namespace, rolledOut, tryKubectl } from './support/cluster.ts'
import { note } from './support/figures.ts'
import { applicationImage } from './support/images.ts'
import { ensureInstalled, imageTag, selectorOf, storesNamespace, tiers } from './support/release.ts'

t.setTimeout(600_000)

/** How long a connection may take that is let through, in milliseconds. */
const connectMs = 2000

/** Pods from which and to which connections are tried, besides those of the release. */
const probes = [
  { name: 'sibling', in: namespace },
  { name: 'outsider', in: 'svc-suite-others' },
] as const

/** From, to and port: the edges that the services need. */
const needed = [
  ['outsider', 'gateway', 8080],
  ['sibling', 'gateway', 8080],
  ['gateway', 'auth', 9001],
  ['gateway', 'resource', 9002],
  ['auth', 'postgres', 5432],
  ['auth', 'redis', 6379],
  ['auth', 'apiserver', 443],
  ['resource', 'postgres', 5432],
] as const

const forbidden = [
  ['outsider', 'auth', 9001],
  ['outsider', 'resource', 9002],
  ['outsider', 'gateway', 9464],
  ['outsider', 'auth', 9464],
  ['outsider', 'resource', 9464],
  ['sibling', 'auth', 9001],
  ['sibling', 'resource', 9002],
  ['sibling', 'auth', 9464],
  ['gateway', 'postgres', 5432],
  ['gateway', 'redis', 6379],
  ['gateway', 'apiserver', 443],
  ['gateway', 'outsider', 3000],
  ['auth', 'resource', 9002],
  ['auth', 'gateway', 8080],
  ['auth', 'outsider', 3000],
  ['resource', 'gateway', 8080],
  ['resource', 'redis', 6379],
  ['resource', 'apiserver', 443],
  ['resource', 'outsider', 3000],
  ['resource', 'sibling', 3000],
] as const

t.test('pods reach what they need, and nothing else', async (t) => {
  await ensureInstalled()
  t.teardown(async () => {
    await tryKubectl(['delete', 'namespace', 'svc-suite-others', '--wait=false'])
    await tryKubectl(['delete', 'deployment', 'sibling', '--grace-period=1'])
  })
  await apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'svc-suite-others' } },
    ...probes.map(({ name, in: namespace }) => toProbe(name, namespace)),
  ])
  const places = await findPlaces()
  const connects = async (from: string, to: string, port: number) => {
    const { pod, in: namespace } = places[from] ?? { pod: from, in: '' }
    const script =
      `require('net').connect({ host: '${places[to]?.address}', port: ${port} })` +
      `.on('connect', () => process.exit(0)).on('error', () => process.exit(3))` +
      `.setTimeout(${connectMs}, () => process.exit(4))`
    const args = ['exec', '--namespace', namespace, pod, '--', 'node', '-e', script]
    const { code, stderr } = await tryKubectl(args)
    if (code !== 0 && !/exit code [34]/.test(stderr)) throw new Error(`${from}: ${stderr}`)
    return code === 0
  }
  for (const [from, to, port] of needed) {
    t.ok(await connects(from, to, port), `${from} reaches ${to}:${port}`)
  }
  let open = 0
  for (const [from, to, port] of forbidden) {
    const isOpen = await connects(from, to, port)
    if (isOpen) open += 1
    t.notOk(isOpen, `${from} does not reach ${to}:${port}`)
  }
  note({ what: `policies: open of ${forbidden.length} edges`, value: `${open}`, limit: '≤ 0' })
})

function toProbe(name: string, namespace: string): object {
  const listen = "require('net').createServer((s) => s.end()).listen(3000)"
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          automountServiceAccountToken: false,
          securityContext: restricted.pod,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name,
              image: `${applicationImage}:${imageTag}`,
              imagePullPolicy: 'Never',
              command: ['node', '-e', listen],
              securityContext: restricted.container,
              readinessProbe: { tcpSocket: { port: 3000 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  }
}

interface Place {
  readonly pod: string
  readonly in: string
  readonly address: string
}

async function findPlaces(): Promise<Readonly<Record<string, Place>>> {
  const places: Record<string, Place> = {}
  const find = async (name: string, selector: string, within: string) => {
    const [pod] = await listPods(selector, within)
    if (pod === undefined) throw new Error(`there is no pod of ${name}`)
    places[name] = { pod: pod.metadata.name, in: within, address: pod.status.podIP }
  }
  for (const { name, in: within } of probes) {
    await rolledOut(name, { within })
    await find(name, `app=${name}`, within)
  }
  for (const tier of tiers) await find(tier, selectorOf(tier), namespace)
  for (const name of ['postgres', 'redis']) await find(name, `app=${name}`, storesNamespace)
  const service = ['get', 'service', 'kubernetes', '--namespace', 'default']
  const address = await kubectl([...service, '--output', 'jsonpath={.spec.clusterIP}'])
  return { ...places, apiserver: { pod: '', in: '', address } }
}
