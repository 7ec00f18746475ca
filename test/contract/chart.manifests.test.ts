import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import { assertionKeysOf, databaseUrl, loadSettings } from '@svc/config'
import { protectionOf } from '@svc/rpc'
import t, { type Test } from 'tap'
import {
  type Container,
  type Labels,
  type Manifest,
  type Peer,
  parseManifests,
  type Rule,
  readText,
} from '../support/chart.ts'

const text = readText('deploy/kubernetes/svc.yaml')
const manifests = parseManifests(text)
const ofKind = (kind: string) => manifests.filter((one) => one.kind === kind)
const deployments = ofKind('Deployment')
const [job] = ofKind('Job')
if (job === undefined) throw new Error('there is no Job')
const workloads = [...deployments, job]
const services = ['auth', 'gateway', 'resource'] as const

function find(kind: string, name: string): Manifest {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}

const podOf = (service: string) => find('Deployment', `svc-${service}`).spec.template
const containerOf = ({ spec }: Manifest): Container => spec.template.spec.containers[0]

/** The workloads whose pods have these labels. */
function selected(labels: Readonly<Record<string, string>> = {}): string[] {
  return workloads
    .filter(({ spec }) =>
      Object.entries(labels).every(([key, value]) => spec.template.metadata.labels[key] === value),
    )
    .map(({ spec }) => spec.template.spec.containers[0].name)
}

t.test('no object is a Secret, and the first lines make those that are used', async (t) => {
  t.strictSame(ofKind('Secret'), [])
  const commands = text
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n')
    .replace(/ \\\n#/g, '')
  const made = Object.fromEntries(
    [...commands.matchAll(/create secret generic (\S+) (.*)/g)].map(([, name, rest = '']) => [
      name,
      [...rest.matchAll(/--from-literal=(\w+)=/g)].map(([, key]) => key),
    ]),
  )
  const used = secretsOf(workloads)
  t.ok(used.length > 0)
  for (const { name, key } of used) t.ok(made[name]?.includes(key), `${name}: ${key}`)
  t.strictSame(Object.keys(made).sort(), [...new Set(used.map(({ name }) => name))].sort())
  t.match(text, /^#.*kubectl apply -f svc\.yaml$/m)
})

function secretsOf(of: readonly Manifest[]) {
  return of
    .flatMap(({ spec }) => spec.template.spec.volumes)
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret?.items.map(({ key }) => ({ name: secret.name, key })) ?? [])
}

t.test(
  'nothing secret is in a variable: each names a setting, and a secret by its file',
  async (t) => {
    for (const workload of workloads) {
      const { name, env } = containerOf(workload)
      const names = env.map((one) => one.name)
      t.strictSame(names, [...new Set(names)], `${name} sets no variable twice`)
      for (const { name: variable, value = '' } of env) {
        if (variable === 'SVC_CONFIG' || variable === 'NODE_OPTIONS') continue
        const found = authSettings.index.findVariable(variable)
        t.ok(found, `${name}: ${variable}`)
        t.equal(found?.isFile, found?.setting.isSecret, `${name}: ${variable}`)
        if (found?.isFile) t.equal(value, `/run/secrets/svc/${found.setting.key}`)
      }
    }
  },
)

t.test('each service is given the secrets that it needs, and no other', async (t) => {
  const keysOf = (service: string) =>
    secretsOf([find('Deployment', `svc-${service}`)])
      .map(({ name, key }) => `${name}.${key}`)
      .sort()
  const shared = [
    'svc-changes.key',
    'svc-db.url',
    'svc-internal.assertion_key',
    'svc-internal.secret',
  ]
  t.strictSame(keysOf('gateway'), ['svc-internal.secret'])
  t.strictSame(keysOf('resource'), shared)
  t.strictSame(keysOf('auth'), ['svc-bootstrap.token', ...shared])
  t.strictSame([...new Set(secretsOf([job]).map(({ name }) => name))], ['svc-db'])
})

t.test('the settings can be used as each service is given them', async (t) => {
  for (const service of services) {
    const settings = settingsOf(t, service)
    protectionOf(settings)
    if (service !== 'gateway') {
      t.equal(databaseUrl(settings), 'postgres://svc:secret@db:5432/svc')
      t.equal(assertionKeysOf(settings).length, 1)
      t.equal(settings.db.autoMigrate, false)
    }
    t.equal(settings.auth.address, 'dns:///svc-auth:9001')
    t.equal(settings.resource.address, 'dns:///svc-resource:9002')
    t.match(containerOf(find('Deployment', `svc-${service}`)).image, `svc-${service}:`)
  }
  const { bootstrap } = settingsOf(t, 'auth').authentication.methods.token
  t.equal(bootstrap.log, false)
  t.equal(bootstrap.token?.reveal(), secretOf('token'))
})

/** What a pod would load: its variables and files, with those of its volumes in a folder. */
function settingsOf(t: Test, service: string) {
  const pod = podOf(service)
  const [container] = pod.spec.containers
  const folder = t.testdir({})
  const placed = new Map<string, string>()
  const place = (path: string, content: string) => {
    const file = `${folder}/${placed.size}`
    writeFileSync(file, content)
    placed.set(path, file)
  }
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = pod.spec.volumes.find((one) => one.name === name)
    const data = volume?.configMap && find('ConfigMap', volume.configMap.name).data
    for (const [file, content] of Object.entries(data ?? {})) place(`${mountPath}/${file}`, content)
    const items = volume?.projected?.sources.flatMap(({ secret }) => secret?.items ?? [])
    for (const { key, path } of items ?? []) place(`${mountPath}/${path}`, secretOf(key))
  }
  const env = Object.fromEntries(
    container.env.map(({ name, value = '' }) => [name, placed.get(value) ?? value]),
  )
  return loadSettings(authSettings, { env, systemFiles: [] }).settings
}

function secretOf(key: string): string {
  return key === 'url' ? 'postgres://svc:secret@db:5432/svc' : key.repeat(32).slice(0, 48)
}

t.test('ports are those of the settings, and names of ports exist', async (t) => {
  const portOf = (address = '') => Number(address.split(':').at(-1))
  for (const service of services) {
    const settings = settingsOf(t, service)
    const container = containerOf(find('Deployment', `svc-${service}`))
    const ports = Object.fromEntries(
      (container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]),
    )
    const own =
      service === 'gateway'
        ? { http: settings.server.httpPort }
        : { grpc: portOf(settings[service].listen) }
    t.strictSame(ports, { ...own, metrics: settings.metrics.port })
    const { spec } = find('Service', `svc-${service}`)
    t.equal(spec.clusterIP, service === 'gateway' ? undefined : 'None')
    for (const { port, targetPort } of spec.ports ?? []) t.equal(port, ports[targetPort])
  }
})

t.test('what is selected is there', async (t) => {
  for (const service of services) {
    t.strictSame(selected(find('Service', `svc-${service}`).spec.selector as Labels), [service])
  }
  for (const kind of ['PodDisruptionBudget', 'Deployment', 'NetworkPolicy']) {
    const names = ofKind(kind).map(({ spec }) => {
      const { matchLabels } = spec.podSelector ?? spec.selector
      return selected(matchLabels as Labels)
    })
    const expected = kind === 'NetworkPolicy' ? [...services, 'migrate'] : services
    t.strictSame(names.flat().sort(), [...expected].sort(), kind)
  }
  const [scaler, ...others] = ofKind('HorizontalPodAutoscaler')
  t.strictSame(others, [])
  const replicas = deployments.map(({ metadata, spec }) => [metadata.name, spec.replicas])
  // To apply it again must not reset the number of what is scaled.
  t.equal(scaler?.spec.scaleTargetRef?.name, 'svc-gateway')
  t.strictSame(Object.fromEntries(replicas), {
    'svc-auth': 2,
    'svc-gateway': undefined,
    'svc-resource': 2,
  })
  t.equal(scaler?.spec.minReplicas, 2)
  for (const { spec } of workloads) {
    const account = find('ServiceAccount', spec.template.spec.serviceAccountName)
    t.equal(account.automountServiceAccountToken, false)
  }
})

t.test('a roll takes no pod away before another is ready, and waits for the drain', async (t) => {
  for (const service of services) {
    const { spec } = find('Deployment', `svc-${service}`)
    t.strictSame(spec.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 })
    const grace = (spec.template.spec.terminationGracePeriodSeconds ?? 0) * 1000
    t.ok(grace >= settingsOf(t, service).server.drain + 25_000)
  }
})

t.test('a pod that ends serves until every gateway has found the one in its place', async (t) => {
  // Name servers keep an answer for up to 30 s, and gateways look every 5 s (packages/rpc/src/resolver.ts).
  for (const service of ['auth', 'resource']) {
    t.ok(settingsOf(t, service).server.drain >= 35_000, service)
  }
})

t.test('a ConfigMap is never another: its name is that of its content, and it stays', async (t) => {
  const used = deployments
    .flatMap(({ spec }) => spec.template.spec.volumes)
    .flatMap(({ configMap }) => configMap?.name ?? [])
  t.equal(new Set(used).size, services.length, 'one for each service')
  t.strictSame(
    used.toSorted(),
    ofKind('ConfigMap')
      .map(({ metadata }) => metadata.name)
      .sort(),
  )
  for (const { metadata, immutable, data } of ofKind('ConfigMap')) {
    const content = data?.['config.yml']?.trimEnd() ?? ''
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
    t.match(metadata.name, new RegExp(`^svc-config-(${services.join('|')})-${hash}$`))
    t.equal(immutable, true)
    // Helm deletes no hook when it upgrades, and makes it when it rolls back.
    t.strictSame(metadata.annotations, {
      'helm.sh/hook': 'pre-install,pre-upgrade,pre-rollback',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    })
  }
})

t.test('probes ask the port of metrics, and bear a busy processor', async (t) => {
  for (const deployment of deployments) {
    const { startupProbe, readinessProbe, livenessProbe } = containerOf(deployment)
    const paths = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet)
    t.strictSame(paths, [
      { path: '/healthz', port: 'metrics' },
      { path: '/readyz', port: 'metrics' },
      { path: '/healthz', port: 'metrics' },
    ])
    t.equal(startupProbe.periodSeconds * startupProbe.failureThreshold, 60)
    t.match(readinessProbe, { periodSeconds: 5, failureThreshold: 3 })
    t.ok(livenessProbe.periodSeconds * livenessProbe.failureThreshold >= 60)
  }
})

t.test('the heap is 75 % of the memory limit', async (t) => {
  for (const workload of workloads) {
    const { env, resources } = containerOf(workload)
    const mebibytes = Number(/^(\d+)Mi$/.exec(resources.limits.memory)?.[1])
    const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value
    t.equal(options, `--max-old-space-size=${mebibytes * 0.75}`)
  }
})

t.test('pods pass Pod Security "restricted", and have no token of the API server', async (t) => {
  for (const { spec } of workloads) {
    const pod = spec.template.spec
    t.match(pod, {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    })
    t.equal(pod.containers.length, 1)
    t.strictSame(pod.containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    for (const volume of pod.volumes) t.ok(volume.configMap ?? volume.projected, volume.name)
    const sources = pod.volumes.flatMap(({ projected }) => projected?.sources ?? [])
    t.notOk(sources.some(({ serviceAccountToken }) => serviceAccountToken))
  }
  t.strictSame([...ofKind('ClusterRole'), ...ofKind('ClusterRoleBinding')], [])
})

t.test('the network has the edges that are needed, and no other', async (t) => {
  const edges = ofKind('NetworkPolicy').flatMap(({ spec }) => {
    const [own] = selected(spec.podSelector.matchLabels)
    const nameOf = ({ podSelector, namespaceSelector, ipBlock }: Peer) => {
      if (ipBlock) return ipBlock.cidr === '169.254.0.0/16' ? 'node' : 'outside'
      return namespaceSelector ? 'dns' : selected(podSelector?.matchLabels).join('+')
    }
    const portsOf = ({ ports = [] }: Rule) =>
      [...new Set(ports.map(({ port }) => port))].sort().join(',')
    return [
      ...spec.ingress.flatMap((rule) =>
        (rule.from?.map(nameOf) ?? ['all']).map((peer) => `${peer} -> ${own}:${portsOf(rule)}`),
      ),
      ...spec.egress.flatMap((rule) =>
        (rule.to?.map(nameOf) ?? ['all']).map((peer) => `${own} -> ${peer}:${portsOf(rule)}`),
      ),
    ]
  })
  const everyPod = 'auth+gateway+resource+migrate'
  t.strictSame(
    [...new Set(edges)].sort(),
    [
      // Numbers: network plugins do not read names of ports alike.
      'all -> gateway:8080',
      'gateway -> auth:9001',
      'gateway -> resource:9002',
      ...['auth', 'resource', 'migrate'].flatMap((one) => [
        `${one} -> ${everyPod}:5432`,
        `${one} -> outside:5432`,
      ]),
      ...['auth', 'gateway', 'migrate', 'resource'].flatMap((one) => [
        `${one} -> dns:53`,
        `${one} -> node:53`,
      ]),
    ].sort(),
  )
})

t.test('the Job is no hook, and stays for a day at least', async (t) => {
  t.match(job.metadata.name, /^svc-migrate-\d+-\d+-\d+-[0-9a-f]{8}$/)
  t.equal(job.metadata.annotations, undefined)
  t.ok((job.spec.ttlSecondsAfterFinished ?? 86_400) >= 86_400)
  t.equal(job.spec.template.spec.restartPolicy, 'Never', 'its pods stay, with their logs')
})
