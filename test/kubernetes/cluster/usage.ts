// Serves the usage of pods and nodes (metrics.k8s.io/v1beta1), from what each kubelet knows: the autoscaler and
// `kubectl top` read it. Takes the place of metrics-server, which does not build beside this release.
//   node usage.ts API_SERVER PKI
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClusterObject, list, openReader } from './api.ts'

const [apiServer = '', pki = ''] = process.argv.slice(2)
const port = 4443
/** Kubelets measure every few seconds. */
const everyMs = 2000
const prefix = '/apis/metrics.k8s.io/v1beta1'

interface Node extends ClusterObject {
  readonly status: { readonly addresses: readonly { type: string; address: string }[] }
}

interface Sample {
  readonly atMs: number
  readonly cpuSeconds: number
}

interface Usage extends Sample {
  /** The one before: a rate needs two. */
  readonly before: Sample | undefined
  readonly bytes: number
}

/** By namespace, pod and container, or the name of a node. */
let usages: ReadonlyMap<string, Usage> = new Map()

const read = openReader(pki)

/** A line of a kubelet: `name{label="value",…} value milliseconds`. */
const line =
  /^(node|container)_(cpu_usage_seconds_total|memory_working_set_bytes)(?:\{([^}]*)\})? (\S+) (\d+)$/

async function measure(): Promise<void> {
  const fresh = new Map<string, { atMs: number; cpuSeconds: number; bytes: number }>()
  for (const { metadata, status } of await list<Node>(read, apiServer, '/api/v1/nodes')) {
    const address = status.addresses.find(({ type }) => type === 'InternalIP')?.address
    const text = await read(`https://${address}:10250/metrics/resource`)
    for (const one of text.split('\n')) {
      const [, kind, metric, labels = '', value, atMs] = line.exec(one) ?? []
      if (kind === undefined) continue
      const { namespace, pod, container } = Object.fromEntries(
        Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, name, text]) => [name, text]),
      )
      const key = kind === 'node' ? metadata.name : `${namespace}/${pod}/${container}`
      const usage = fresh.get(key) ?? { atMs: 0, cpuSeconds: 0, bytes: 0 }
      if (metric === 'memory_working_set_bytes') usage.bytes = Number(value)
      else Object.assign(usage, { atMs: Number(atMs), cpuSeconds: Number(value) })
      fresh.set(key, usage)
    }
  }
  usages = new Map(
    Array.from(fresh, ([key, usage]) => {
      const known = usages.get(key)
      if (known === undefined || usage.cpuSeconds < known.cpuSeconds)
        return [key, { ...usage, before: undefined }]
      return [key, usage.atMs > known.atMs ? { ...usage, before: known } : known]
    }),
  )
}

function describe(usage: Usage, before: Sample) {
  const cores = (usage.cpuSeconds - before.cpuSeconds) / ((usage.atMs - before.atMs) / 1000)
  return {
    timestamp: new Date(usage.atMs).toISOString(),
    window: `${(usage.atMs - before.atMs) / 1000}s`,
    usage: { cpu: `${Math.round(cores * 1e9)}n`, memory: `${Math.round(usage.bytes / 1024)}Ki` },
  }
}

function ofNode({ metadata }: ClusterObject) {
  const usage = usages.get(metadata.name)
  return usage?.before === undefined ? [] : [{ metadata, ...describe(usage, usage.before) }]
}

function ofPod({ metadata }: ClusterObject) {
  const start = `${metadata.namespace}/${metadata.name}/`
  const containers = Array.from(usages).flatMap(([key, usage]) => {
    if (!key.startsWith(start) || usage.before === undefined) return []
    return [{ name: key.slice(start.length), ...describe(usage, usage.before) }]
  })
  const [first] = containers
  if (first === undefined) return []
  return [{ metadata, timestamp: first.timestamp, window: first.window, containers }]
}

async function answer(url: URL): Promise<object | undefined> {
  const query = `?labelSelector=${encodeURIComponent(url.searchParams.get('labelSelector') ?? '')}`
  const path = url.pathname.slice(prefix.length)
  const version = { apiVersion: 'metrics.k8s.io/v1beta1' }
  if (path === '') {
    const resource = { singularName: '', verbs: ['get', 'list'] }
    return {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'metrics.k8s.io/v1beta1',
      resources: [
        { ...resource, name: 'nodes', kind: 'NodeMetrics', namespaced: false },
        { ...resource, name: 'pods', kind: 'PodMetrics', namespaced: true },
      ],
    }
  }
  if (path === '/nodes') {
    const nodes = await list<Node>(read, apiServer, `/api/v1/nodes${query}`)
    return { kind: 'NodeMetricsList', ...version, metadata: {}, items: nodes.flatMap(ofNode) }
  }
  if (/^(\/namespaces\/[^/]+)?\/pods$/.test(path)) {
    const pods = await list<ClusterObject>(read, apiServer, `/api/v1${path}${query}`)
    return { kind: 'PodMetricsList', ...version, metadata: {}, items: pods.flatMap(ofPod) }
  }
  return undefined
}

const server = createServer(
  { cert: readFileSync(`${pki}/server.crt`), key: readFileSync(`${pki}/server.key`) },
  (request, response) => {
    answer(new URL(request.url ?? '', 'https://usage')).then(
      (body) => {
        response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', code: 404 }))
      },
      (error: unknown) => response.writeHead(503).end(String(error)),
    )
  },
)
server.listen(port)
for (;;) {
  await measure().catch((error: unknown) => console.error(error))
  await sleep(everyMs)
}
