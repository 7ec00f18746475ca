import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { authSettings } from '@svc/auth/settings'
import { loadSettings, sharedSettings } from '@svc/config'
import t from 'tap'
import { parse } from 'yaml'
import { type Labels, parseManifests, readText, root, set } from '../support/chart.ts'
import {
  findProgram,
  type LiveObject,
  programs,
  render,
  renderNotes,
  startApiServer,
  writeValues,
} from '../support/helm.ts'
import { kubernetesSchemas } from '../support/kubernetes-schemas.ts'

const named = join(root, 'deploy/kubernetes/values.yaml')
const values = parse(readText('deploy/kubernetes/values.yaml')) as object
const helm = findProgram('helm') ?? ''
const kubeconform = findProgram('kubeconform') ?? ''
const go = findProgram('go')
const withoutHelm = helm ? false : 'there is no Helm here: the chart was not rendered'
const withoutSchemas =
  kubeconform && go ? false : 'there is no kubeconform here: no object was checked by its schema'

/** Everything that can be asked for. */
const everything = {
  ...values,
  redis: { existingSecret: 'svc-redis' },
  db: {
    existingSecret: 'svc-db',
    auth: { existingSecret: 'svc-db-auth' },
    resource: { existingSecret: 'svc-db-resource' },
  },
  config: {
    authentication: {
      methods: {
        orchestrator: { enabled: true, audience: 'flags', service_accounts: ['shop:client'] },
        oidc: {
          enabled: true,
          providers: { accounts: { issuer_url: 'https://a.example', client_id: 'flags' } },
        },
      },
    },
  },
  secretSettings: [
    {
      setting: 'authentication.methods.oidc.providers.accounts.client_secret',
      existingSecret: 'oidc',
      key: 'secret',
    },
    { setting: 'changes.previous_keys', existingSecret: 'old', key: 'changes' },
    { setting: 'internal.previous_secret', existingSecret: 'old', key: 'internal' },
  ],
  ingress: { enabled: true, hosts: [{ host: 'flags.example.com' }] },
  httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['flags.example.com'] },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
    dashboard: { enabled: true },
  },
  networkPolicy: { metrics: { from: [{ namespaceSelector: {} }] } },
  auth: { autoscaling: { enabled: true } },
  resource: { autoscaling: { enabled: true } },
  migrate: { ttlSecondsAfterFinished: 86_400 },
  example: { enabled: true },
  ipFamilyPolicy: 'PreferDualStack',
}

t.test('with Secrets that are named', { skip: withoutHelm }, async (t) => {
  const text = await render(helm, named, '--skip-tests')
  t.equal(await render(helm, named, '--skip-tests'), text, 'rendered twice it is the same')
  const committed = parseManifests(readText('deploy/kubernetes/svc.yaml'))
  t.strictSame(parseManifests(text), committed, 'svc.yaml is as pnpm render writes it')
})

t.test('what a change rolls', { skip: withoutHelm }, async (t) => {
  const pods = async (config: object) => {
    const text = await render(helm, writeValues(t, { ...values, config }))
    const deployments = parseManifests(text).filter(({ kind }) => kind === 'Deployment')
    return deployments.map(({ spec }) => JSON.stringify(spec.template))
  }
  const before = await pods({})
  const changed = async (config: object) => {
    const after = await pods(config)
    return before.map((template, i) => template !== after[i])
  }
  // In the order of the manifests.
  t.strictSame(await changed({ log: { level: 'debug' } }), [true, true, true])
  t.strictSame(await changed({ cors: { allowed_headers: ['A'] } }), [false, true, false])
  t.strictSame(await changed({ changes: { retention: '800h' } }), [true, false, true])
  const session = { authentication: { session: { token_lifetime: '1h' } } }
  t.strictSame(await changed(session), [true, true, false])
  const jwt = { authentication: { methods: { jwt: { issuers: { ci: { issuer: 'a' } } } } } }
  t.strictSame(await changed(jwt), [true, false, false])
})

t.test('each service can use the settings that it is given', { skip: withoutHelm }, async (t) => {
  const all = parseManifests(await render(helm, writeValues(t, everything)))
  const folder = t.testdir({})
  const load = (service: string) => {
    const name = `svc-config-${service}-`
    const config = all.find(({ metadata }) => metadata.name.startsWith(name))
    const file = join(folder, `${service}.yml`)
    writeFileSync(file, config?.data?.['config.yml'] ?? '')
    return loadSettings(sharedSettings, { file, env: {}, systemFiles: [] }).settings
  }
  const { methods } = load('gateway').authentication
  t.match(methods, { oidc: { enabled: true }, orchestrator: { enabled: true } })
  t.match(load('auth').authentication.methods, methods)
  t.equal(load('resource').auth.address, 'dns:///svc-auth:9001')
})

t.test(
  'an upgrade leaves the number of pods to the autoscaler',
  { skip: withoutHelm },
  async (t) => {
    const toLive = (name: string, replicas: number, annotations = {}) => ({
      kind: 'Deployment' as const,
      metadata: { name: `svc-${name}`, namespace: 'flags', annotations },
      spec: { replicas },
    })
    const replicasOf = async (live: readonly LiveObject[]) => {
      const options = await startApiServer(t, live)
      const all = parseManifests(await render(helm, writeValues(t, everything), ...options))
      const deployments = all.filter(({ kind }) => kind === 'Deployment')
      return Object.fromEntries(
        deployments.map(({ metadata, spec }) => [
          metadata.name.replace('svc-', ''),
          [spec.replicas, metadata.annotations?.['svc-replicas']],
        ]),
      )
    }
    const left = [undefined, undefined]
    const example = [1, undefined]
    t.strictSame(await replicasOf([]), { gateway: left, auth: left, resource: left, example })
    const given = { 'svc-replicas': 'given' }
    const live = [toLive('gateway', 7), toLive('auth', 4, given), toLive('resource', 1, given)]
    t.strictSame(await replicasOf(live), {
      gateway: left,
      auth: [4, 'given'],
      resource: [2, 'given'],
      example,
    })
  },
)

t.test('what is said after an installation', { skip: withoutHelm }, async (t) => {
  const endpoint = set(values, 'config.telemetry.otlp.endpoint', 'http://collector:4318')
  const rule = set(endpoint, 'networkPolicy.extraEgress', [{ ports: [{ port: 4318 }] }])
  const off = set(endpoint, 'networkPolicy.enabled', false)
  const isWarned = async (of: object) =>
    (await renderNotes(t, helm, writeValues(t, of))).includes('networkPolicy.extraEgress is empty')
  t.strictSame(
    [await isWarned(values), await isWarned(endpoint), await isWarned(rule), await isWarned(off)],
    [false, true, false, false],
  )
})

t.test('pods of the chart reach a gateway that few may reach', { skip: withoutHelm }, async (t) => {
  const from = [{ namespaceSelector: { matchLabels: { name: 'shop' } } }]
  const few = set(everything, 'networkPolicy.gateway.from', from)
  const all = parseManifests(await render(helm, writeValues(t, few)))
  const find = (kind: string, name: string) =>
    all.find((one) => one.kind === kind && one.metadata.name === name)
  const [rule] = find('NetworkPolicy', 'svc-gateway')?.spec.ingress ?? []
  const [given, ...own] = rule?.from ?? []
  t.strictSame(given, from[0])
  const isLetThrough = (labels: Labels = {}) =>
    own.some(({ podSelector }) =>
      Object.entries(podSelector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value),
    )
  t.ok(isLetThrough(find('Pod', 'svc-test')?.metadata.labels), 'of helm test')
  t.ok(isLetThrough(find('Deployment', 'svc-example')?.spec.template.metadata.labels), 'example')
  t.notOk(isLetThrough(find('Deployment', 'svc-auth')?.spec.template.metadata.labels))
})

t.test(
  'token reviews, and a token for them, only when they are on',
  { skip: withoutHelm },
  async (t) => {
    const all = parseManifests(await render(helm, writeValues(t, everything)))
    const ofKind = (kind: string) => all.filter((one) => one.kind === kind)
    t.strictSame(
      ofKind('ClusterRole').map(({ rules }) => rules),
      [[{ apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] }]],
    )
    t.strictSame(
      ofKind('ClusterRoleBinding').map(({ subjects }) => subjects),
      [[{ kind: 'ServiceAccount', name: 'svc-auth', namespace: 'flags' }]],
    )
    const cluster = all.filter(({ kind }) => kind.startsWith('ClusterRole'))
    // With a hyphen, `prod` and `eu-svc` would have the name of `prod-eu` and `svc`.
    t.strictSame(
      cluster.map(({ metadata }) => metadata.name),
      ['flags:svc:token-reviews', 'flags:svc:token-reviews'],
    )
    t.equal(cluster.at(-1)?.roleRef?.name, 'flags:svc:token-reviews')
    const withToken = ofKind('Deployment').filter(({ spec }) =>
      spec.template.spec.volumes.some(({ name }) => name === 'api-server'),
    )
    t.strictSame(
      withToken.map(({ metadata }) => metadata.name),
      ['svc-auth'],
    )
    const policy = all.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'svc-auth',
    )
    // The API servers of kubeadm, minikube and MicroK8s, and of most clusters as a service.
    t.strictSame(
      policy?.spec.egress
        .filter(({ to }) => !to)
        .map(({ ports }) => ports?.map(({ port }) => port)),
      [[443, 6443, 8443, 16443]],
    )
    // What auth calls by that right.
    const caller = readText('services/auth/src/methods/orchestrator/token-reviews.ts')
    t.match(caller, '/apis/authentication.k8s.io/v1/tokenreviews')
    const none = parseManifests(await render(helm, named))
    t.notOk(none.some(({ kind }) => kind.startsWith('ClusterRole')))
  },
)

t.test('further secrets go to the services that need them', { skip: withoutHelm }, async (t) => {
  const all = parseManifests(await render(helm, writeValues(t, everything)))
  const holders = (variable: string) =>
    all
      .filter(({ kind }) => kind === 'Deployment')
      .filter(({ spec }) =>
        spec.template.spec.containers[0].env.some(({ name }) => name === `${variable}_FILE`),
      )
      .map(({ metadata }) => metadata.name.replace('svc-', ''))
      .sort()
  const client = 'SVC_AUTHENTICATION_METHODS_OIDC_PROVIDERS_ACCOUNTS_CLIENT_SECRET'
  t.strictSame(holders(client), ['auth'])
  t.strictSame(holders('SVC_CHANGES_PREVIOUS_KEYS'), ['auth', 'resource'])
  t.strictSame(holders('SVC_INTERNAL_PREVIOUS_SECRET'), ['auth', 'gateway', 'resource'])
})

t.test('each provider gets its secret, whatever its name', { skip: withoutHelm }, async (t) => {
  const methods = 'authentication.methods'
  const providers = `${methods}.oidc.providers`
  const names = ['accounts', 'my-team', 'a-b', 'a_b']
  const config = Object.fromEntries(names.map((name) => [name, { client_id: name }]))
  const withoutTokens = set(values, `config.${methods}.token.enabled`, false)
  const content = {
    ...set(withoutTokens, `config.${providers}`, config),
    secretSettings: names.map((name) => {
      return { setting: `${providers}.${name}.client_secret`, existingSecret: 'oidc', key: name }
    }),
  }
  const all = parseManifests(await render(helm, writeValues(t, content)))
  const find = (kind: string, name: string) =>
    all.find((one) => one.kind === kind && one.metadata.name.startsWith(name))
  const file = join(t.testdir(), 'config.yml')
  writeFileSync(file, find('ConfigMap', 'svc-config-auth')?.data?.['config.yml'] ?? '')
  // Each file holds its name, which is that of the setting.
  const env = find('Deployment', 'svc-auth')
    ?.spec.template.spec.containers[0].env.filter(({ name }) => name.includes('CLIENT_SECRET'))
    .map(({ name, value = '' }) => [name.replace('_FILE', ''), value])
  const sources = { file, env: Object.fromEntries(env ?? []), systemFiles: [] }
  const { oidc } = loadSettings(authSettings, sources).settings.authentication.methods
  const secrets = names.map((name) => oidc.providers[name]?.clientSecret?.reveal())
  t.strictSame(
    secrets,
    names.map((name) => `/run/secrets/svc/${providers}.${name}.client_secret`),
  )
  t.strictSame(Object.keys(oidc.providers).sort(), names.toSorted())
})

t.test('which address of a client is seen', { skip: withoutHelm }, async (t) => {
  const policyOf = async (type: string) => {
    const service = { type, externalTrafficPolicy: 'Local' }
    const text = await render(helm, writeValues(t, { ...values, service }))
    return /externalTrafficPolicy: (.*)/.exec(text)?.[1]
  }
  t.equal(await policyOf('LoadBalancer'), 'Local')
  t.equal(await policyOf('NodePort'), 'Local')
  t.equal(await policyOf('ClusterIP'), undefined, 'the API refuses it there')
})

t.test('what Prometheus is told', { skip: withoutHelm }, async (t) => {
  const all = parseManifests(await render(helm, writeValues(t, everything)))
  const jobs = all
    .filter(({ kind, metadata }) => kind === 'Service' && metadata.labels?.['svc-metrics'])
    .map(({ metadata, spec }) => [metadata.labels?.['svc-metrics'], spec.ports?.[0]?.targetPort])
  t.strictSame(jobs.sort(), [
    ['svc-auth', 'metrics'],
    ['svc-gateway', 'metrics'],
    ['svc-resource', 'metrics'],
  ])
  t.match(
    all.find(({ kind }) => kind === 'ServiceMonitor'),
    {
      metadata: { labels: { release: 'prometheus' } },
      spec: {
        jobLabel: 'svc-metrics',
        endpoints: [{ port: 'metrics', path: '/metrics', honorLabels: true }],
      },
    },
  )
  const dashboard = all.find(({ metadata }) => metadata.labels?.grafana_dashboard === '1')
  t.equal(dashboard?.data?.['svc.json'], readText('deploy/observability/dashboard.json'))
  const rule = all.find(({ kind }) => kind === 'PrometheusRule')
  t.equal(rule?.metadata.labels?.release, 'prometheus')
  const { groups } = parse(readText('deploy/observability/alerts.yml'))
  const ownGateways = JSON.stringify(groups).replace(
    'absent(svc_replica_revision)',
    String.raw`absent(svc_replica_revision{namespace=\"flags\"})`,
  )
  t.strictSame(rule?.spec, { groups: JSON.parse(ownGateways) })
  const ingress = all
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .filter(({ spec }) => spec.ingress.some(({ ports }) => ports?.[0]?.port === 9464))
  t.equal(ingress.length, 3)
})

t.test('a cluster may choose the users of pods', { skip: withoutHelm }, async (t) => {
  const row = readText('docs/kubernetes.md').match(/^\| OpenShift .*$/m)?.[0]
  const podSecurityContext = parse(/podSecurityContext: (\{.*?\})/.exec(row ?? '')?.[1] ?? '')
  t.ok(podSecurityContext, 'docs/kubernetes.md has the value')
  const all = parseManifests(
    await render(helm, writeValues(t, { ...everything, podSecurityContext })),
  )
  const pods = all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template.spec.securityContext)
  t.equal(pods.length, 5)
  // All that Pod Security "restricted" asks of a pod; the rest is that of its container.
  const restricted = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }
  for (const { fsGroupChangePolicy: _, ...one } of pods) t.strictSame(one, restricted)
})

t.test('each component may do without resources', { skip: withoutHelm }, async (t) => {
  const components = ['gateway', 'auth', 'resource', 'migrate', 'example']
  const without = components.reduce<object>(
    (values, name) => set(values, `${name}.resources`, null),
    everything,
  )
  const all = parseManifests(await render(helm, writeValues(t, without)))
  const containers = all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template.spec.containers[0])
  t.strictSame(containers.map(({ name }) => name).sort(), components.toSorted())
  for (const { env, resources } of containers) {
    t.equal(resources, undefined)
    t.notOk(env.some(({ name }) => name === 'NODE_OPTIONS'))
  }
})

t.test('a pooler is passed by', { skip: withoutHelm }, async (t) => {
  const direct = set(everything, 'db.direct', true)
  const all = parseManifests(await render(helm, writeValues(t, direct)))
  const itemsOf = (kind: string, name: string) =>
    all
      .filter((one) => one.kind === kind && one.metadata.name.startsWith(name))
      .flatMap(({ spec }) => spec.template.spec.volumes)
      .flatMap(({ projected }) => projected?.sources ?? [])
      .flatMap(({ secret }) => secret?.items.map(({ key }) => `${secret.name}.${key}`) ?? [])
      .filter((name) => name.includes('url') && name.includes('db'))
  t.strictSame(itemsOf('Deployment', 'svc-auth'), ['svc-db-auth.url', 'svc-db-auth.direct_url'])
  t.strictSame(itemsOf('Job', 'svc-migrate'), [
    'svc-db.direct_url',
    ...['svc-db-auth.url', 'svc-db-auth.direct_url'],
    ...['svc-db-resource.url', 'svc-db-resource.direct_url'],
  ])
})

t.test('objects are valid', { skip: withoutSchemas }, async (t) => {
  const folder = await kubernetesSchemas(programs)
  const location = join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
  const check = async (text: string) => {
    const file = join(t.testdir(), 'objects.yaml')
    writeFileSync(file, text)
    const args = ['-schema-location', location, '-output', 'json', '-summary', file]
    const { stdout } = await promisify(execFile)(kubeconform, args).catch((error) => error)
    return JSON.parse(stdout) as { readonly summary: object; readonly resources: object[] }
  }
  const committed = readText('deploy/kubernetes/svc.yaml')
  const texts = [committed, ...(helm ? [await render(helm, writeValues(t, everything))] : [])]
  for (const text of texts) {
    const valid = parseManifests(text).length
    const { summary, resources } = await check(text)
    t.match(summary, { valid, invalid: 0, errors: 0, skipped: 0 }, JSON.stringify(resources))
  }
  t.match(await check(committed.replace('revisionHistoryLimit', 'revisions')), {
    summary: { invalid: 1 },
  })
})
