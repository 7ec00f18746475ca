import t from 'tap'
import { parse } from 'yaml'
import { parseManifests, readText, set } from '../support/chart.ts'
import { readFixture } from '../support/fixtures.ts'
import { findProgram, render, writeValues } from '../support/helm.ts'

const values = parse(readText('deploy/kubernetes/values.yaml')) as object
/** A wrong value by its key, and the values that it is wrong with. */
type Case = readonly [key: string, value: unknown, others?: Readonly<Record<string, unknown>>]
const cases = readFixture<Record<'schema' | 'templates', readonly Case[]>>('chart-values')
const helm = findProgram('helm') ?? ''
const withoutHelm = helm ? false : 'there is no Helm here: the chart was not rendered'

function setAll(values: object, others: Readonly<Record<string, unknown>>): object {
  return Object.entries(others).reduce((all, [key, value]) => set(all, key, value), values)
}

t.test('wrong values are refused, each by its key', { skip: withoutHelm }, async (t) => {
  // Of the schema, a sample: chart.schema.test.ts has all, and each run of Helm takes a moment.
  const sample = cases.schema.filter((_, i) => i % 6 === 0)
  t.ok(sample.length > 8)
  for (const [key, value, others = {}] of [...cases.templates, ...sample]) {
    const withOthers = setAll(values, others)
    const refusal = await render(helm, writeValues(t, set(withOthers, key, value))).then(
      () => '',
      ({ stderr }) => String(stderr),
    )
    const parts = key.split('.')
    const isNamed = parts.some((part, i) => {
      const parent = parts.slice(0, i)
      const whole = [...parent, part]
      const at = [''].concat(parent).join('/')
      const pointer = refusal.includes(`at '${at}': additional properties '${part}'`)
      const path = refusal.includes(`'/${whole.join('/')}`) && whole.length === parts.length
      return pointer || path || refusal.includes(`${key} `)
    })
    t.ok(isNamed, `${key}: ${refusal}`)
    if (/^(internal|changes|bootstrap)[.]existing/.test(key)) t.match(refusal, '--dry-run=server')
  }
})

/** The texts of an object that name something, and its labels. */
function namesIn(value: unknown, key = ''): unknown[] {
  if (key.endsWith('abels')) return Object.values(value as object)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, child]) => namesIn(child, name))
  }
  return /^(name|namespace|key|path|ingressClassName|.*Name)$/.test(key) ? [value] : []
}

t.test('a name of digits alone is a text', { skip: withoutHelm }, async (t) => {
  const orchestrator = { enabled: true, audience: 'flags' }
  const named = setAll(values, {
    nameOverride: '1',
    'db.existingSecret': '2',
    'auth.serviceAccount.name': '3',
    'auth.priorityClassName': '4',
    'ingress.className': '5',
    'ingress.enabled': true,
    'ingress.hosts': [{ host: 'flags.example.com', paths: [{ path: '/' }] }],
    'config.authentication.methods.orchestrator': orchestrator,
    'metrics.serviceMonitor.enabled': true,
    secretSettings: [{ setting: 'changes.previous_keys', existingSecret: '6', key: '7' }],
  })
  const all = parseManifests(await render(helm, writeValues(t, named), '--namespace', '2024'))
  const names = namesIn(all)
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '2024']) {
    t.ok(names.includes(name), name)
  }
  t.strictSame(
    names.filter((name) => typeof name !== 'string'),
    [],
  )
})

t.test('a variable of extraEnv replaces that of the chart', { skip: withoutHelm }, async (t) => {
  const valueFrom = { secretKeyRef: { name: 'options', key: 'node' } }
  const extra = setAll(values, {
    'gateway.extraEnv': [
      { name: 'SVC_METRICS_HOST', value: '127.0.0.1' },
      { name: 'NODE_OPTIONS', value: '--max-old-space-size=100' },
    ],
    'auth.extraEnv': [{ name: 'NODE_OPTIONS', valueFrom }],
    'migrate.extraEnv': [{ name: 'NODE_OPTIONS', value: '--trace-warnings' }],
  })
  const all = parseManifests(await render(helm, writeValues(t, extra)))
  const containers = all
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ spec }) => spec.template.spec.containers[0])
  const find = (container: string, variable: string) =>
    containers
      .find(({ name }) => name === container)
      ?.env.filter(({ name }) => name === variable)
      .map(({ name: _, ...rest }) => rest)
  t.strictSame(find('gateway', 'SVC_METRICS_HOST'), [{ value: '127.0.0.1' }])
  // The last of an option that is given twice holds.
  const options = '--max-old-space-size=384 --max-old-space-size=100'
  t.strictSame(find('gateway', 'NODE_OPTIONS'), [{ value: options }])
  t.strictSame(find('auth', 'NODE_OPTIONS'), [{ valueFrom }])
  const traced = '--max-old-space-size=192 --trace-warnings'
  t.strictSame(find('migrate', 'NODE_OPTIONS'), [{ value: traced }])
  t.strictSame(find('resource', 'NODE_OPTIONS'), [{ value: '--max-old-space-size=384' }])
})
