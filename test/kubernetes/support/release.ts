import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { call, type Request } from '../../support/http.ts'
import { apply, getObject, kubectl, namespace, rolledOut, tryKubectl } from './cluster.ts'
import { command } from './commands.ts'
import { flag, flagKey } from './traffic.ts'

/** The name of the Helm release, with which those of its objects begin. */
export const releaseName = 'svc'
export const tiers = ['gateway', 'auth', 'resource'] as const
export type Tier = (typeof tiers)[number]

/** From test/dist/kubernetes/support. */
const folder = fileURLToPath(new URL('../../../kubernetes/support/', import.meta.url))
const chart = fileURLToPath(new URL('../../../../deploy/helm/', import.meta.url))

/** The images that main.ts made. */
export const imageTag = process.env.SVC_TEST_IMAGE_TAG ?? 'suite'
/** Those of the release before, or nothing where its commit is not in the history. */
export const previousTag = process.env.SVC_TEST_PREVIOUS_TAG || undefined

export interface Release {
  /** Of the Service of the gateway, which this machine reaches by its own address. */
  readonly url: string
  /** The first one. */
  readonly token: string
  readonly api: Request
}

type Values = Readonly<Record<string, unknown>>

/** Audience and account of the workloads that may exchange their tokens. */
export const audience = 'flags'
export const account = 'application'

/** A client token lasts this long, in seconds: the least that is useful, so that renewals are seen. */
export const clientTokenSeconds = 60

/** Where PostgreSQL and Redis run. */
export const storesNamespace = 'svc-suite-stores'
const nameLabel = 'kubernetes.io/metadata.name'

/** What the suite sets: the rest is as users have it. */
const usualValues: Values = {
  image: { tag: imageTag, pullPolicy: 'Never' },
  db: { existingSecret: 'postgres' },
  redis: { existingSecret: 'redis' },
  networkPolicy: {
    clusterCIDRs: ['10.244.0.0/16', '10.213.0.0/16'],
    db: { to: [{ namespaceSelector: { matchLabels: { [nameLabel]: storesNamespace } } }] },
    redis: { to: [{ namespaceSelector: { matchLabels: { [nameLabel]: storesNamespace } } }] },
  },
  config: {
    // Names are kept for 5 s here, and gateways look them up every 5 s: by then they have found a new pod.
    server: { drain: '15s' },
    authentication: {
      methods: {
        orchestrator: {
          enabled: true,
          audience,
          service_accounts: [`${namespace}:${account}`],
          max_ttl: `${clientTokenSeconds}s`,
        },
      },
    },
  },
  gateway: {
    autoscaling: { enabled: false },
    resources: { requests: { cpu: '50m', memory: '128Mi' } },
  },
  auth: { minReadySeconds: 15, resources: { requests: { cpu: '50m', memory: '128Mi' } } },
  resource: { minReadySeconds: 15, resources: { requests: { cpu: '50m', memory: '128Mi' } } },
}

export function selectorOf(tier: Tier): string {
  return `app.kubernetes.io/instance=${releaseName},app.kubernetes.io/component=${tier}`
}

export function deploymentOf(tier: Tier): string {
  return `${releaseName}-${tier}`
}

export async function helm(
  args: readonly string[],
  { values = {}, limitMs = 240_000 }: { values?: Values; limitMs?: number } = {},
): Promise<string> {
  return await command('helm', ['--namespace', namespace, ...args], {
    // Helm takes it for YAML.
    input: JSON.stringify(merge(usualValues, values)),
    limitMs,
  })
}

/** Installs, and waits for nothing. @param values before those of the suite */
export async function install(values: Values = {}): Promise<void> {
  await helm(['install', releaseName, chart, '--values', '-'], { values })
}

/**
 * Installs or upgrades, and waits until all pods are ready.
 *
 * @param values before those of the suite
 * @param options further ones of `helm upgrade`
 */
export async function upgrade(values: Values = {}, ...options: readonly string[]): Promise<void> {
  const args = ['--install', releaseName, chart, '--values', '-', '--wait', '--timeout', '220s']
  await helm(['upgrade', ...args, ...options], { values })
  await allRolledOut()
}

/** Back to the revision before, until all pods are ready. */
export async function rollback(): Promise<void> {
  const { version } = JSON.parse(await helm(['status', releaseName, '--output', 'json']))
  await helm(['rollback', releaseName, String(version - 1), '--wait', '--timeout', '220s'])
  await allRolledOut()
}

/** Helm waits until new pods are ready. The last ones of before end later: once the new ones are so for `minReadySeconds`. */
async function allRolledOut(): Promise<void> {
  for (const tier of tiers) await rolledOut(deploymentOf(tier))
}

function merge(one: Values, other: Values): Values {
  const merged: Record<string, unknown> = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const before = merged[key]
    merged[key] = isValues(before) && isValues(value) ? merge(before, value) : value
  }
  return merged
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An empty namespace under the strictest rules, and new databases in another. */
export async function prepareNamespaces(): Promise<void> {
  const names = [namespace, storesNamespace]
  const args = ['delete', 'namespace', ...names, '--ignore-not-found', '--timeout=170s']
  await kubectl(args, { limitMs: 180_000 })
  await apply([
    toNamespace(storesNamespace, {}),
    toNamespace(namespace, { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    toSecret('postgres', { url: `postgres://postgres:suite@postgres.${storesNamespace}:5432/svc` }),
    toSecret('redis', { url: `redis://redis.${storesNamespace}:6379` }),
  ])
  const stores = readFileSync(`${folder}stores.yaml`, 'utf8')
  await kubectl(['apply', '--namespace', storesNamespace, '--filename', '-'], { input: stores })
  for (const name of ['postgres', 'redis']) await rolledOut(name, { within: storesNamespace })
}

function toNamespace(name: string, labels: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
}

export function toSecret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData }
}

/** The release as an earlier file left it, or a new one; with the flag of the traffic. */
export async function ensureInstalled(values: Values = {}): Promise<Release> {
  const { code } = await tryKubectl(['get', 'deployment', deploymentOf('gateway')])
  if (code !== 0) await prepareNamespaces()
  await upgrade(values)
  const release = await openRelease()
  const path = '/api/v1/namespaces/default/flags'
  const { status } = await release.api('GET', `${path}/${flagKey}`)
  if (status === 200) return release
  const made = await release.api('POST', path, flag)
  if (made.status !== 200) throw new Error(`the flag could not be made: ${made.text}`)
  return release
}

/** The release that is there. */
export async function openRelease(): Promise<Release> {
  const { spec } = await getObject<{ spec: { clusterIP: string; ports: { port: number }[] } }>(
    'service',
    deploymentOf('gateway'),
  )
  const url = `http://${spec.clusterIP}:${spec.ports[0]?.port}`
  const secret = ['secret', `${releaseName}-bootstrap`, '--output', 'jsonpath={.data.token}']
  const token = Buffer.from(await kubectl(['get', ...secret]), 'base64').toString()
  return {
    url,
    token,
    api: (method, path, body, headers) =>
      call(url, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
  }
}
