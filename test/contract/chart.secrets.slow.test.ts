import t, { type Test } from 'tap'
import { type Manifest, parseManifests } from '../support/chart.ts'
import {
  findProgram,
  type LiveObject,
  render,
  startApiServer,
  writeValues,
} from '../support/helm.ts'

const helm = findProgram('helm') ?? ''
const withoutHelm = helm ? false : 'there is no Helm here: the chart was not rendered'

/** The Secrets that the chart makes when none is named, with their keys. */
const parts = { bootstrap: ['token'], changes: ['key'], internal: ['assertion_key', 'secret'] }

const made = { db: { existingSecret: 'svc-db' } }
const named = {
  ...made,
  ...Object.fromEntries(Object.keys(parts).map((part) => [part, { existingSecret: `${part}-2` }])),
}
const withoutTokens = { config: { authentication: { methods: { token: { enabled: false } } } } }

/** By which the chart knows that there is a cluster. */
const account: LiveObject = { kind: 'ServiceAccount', metadata: { name: 'default' } }

const mark = { 'meta.helm.sh/release-name': 'svc', 'meta.helm.sh/release-namespace': 'flags' }

/** A Secret as the chart has made it, with a key besides that it has not made. */
function live(part: keyof typeof parts, annotations: object = mark, component: string = part) {
  const values = [...parts[part], 'other'].map((key) => [key, btoa(`${part} ${key}`)])
  const labels = { 'app.kubernetes.io/component': component }
  const metadata = { name: `svc-${part}`, namespace: 'flags', annotations, labels }
  return { kind: 'Secret', metadata, data: Object.fromEntries(values) } as const
}

const all = [live('bootstrap'), live('changes'), live('internal')]

async function renderWith(t: Test, values: object, objects?: readonly LiveObject[]) {
  const file = writeValues(t, values)
  const options = objects ? await startApiServer(t, [account, ...objects]) : []
  return parseManifests(await render(helm, file, ...options))
}

const secretsOf = (manifests: readonly Manifest[]) => manifests.filter(isSecret)
const namesOf = (manifests: readonly Manifest[]) =>
  secretsOf(manifests).map(({ metadata }) => metadata.name)

function isSecret({ kind }: Manifest): boolean {
  return kind === 'Secret'
}

/** The Secrets that pods read. */
function readBy(manifests: readonly Manifest[]): readonly string[] {
  const names = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap(({ spec }) => spec.template.spec.volumes)
    .flatMap(({ projected }) => projected?.sources ?? [])
    .flatMap(({ secret }) => secret?.name ?? [])
  return [...new Set(names)].sort()
}

t.test(
  'a Secret that was made stays in the manifest when another is named',
  { skip: withoutHelm },
  async (t) => {
    const before = await renderWith(t, made, all)
    const after = await renderWith(t, named, all)
    t.strictSame(readBy(after), ['bootstrap-2', 'changes-2', 'internal-2', 'svc-db'])
    t.strictSame(namesOf(after), ['svc-bootstrap', 'svc-changes', 'svc-internal'])
    t.strictSame(secretsOf(after), secretsOf(before), 'a rollback changes nothing of it')
    for (const { metadata, data = {} } of secretsOf(after)) {
      const one = all.find(({ metadata: { name } }) => name === metadata.name)
      const { other: _, ...own } = one?.data ?? {}
      t.strictSame(data, own, 'the keys of the chart, as they are')
      t.match(metadata.annotations, { 'helm.sh/resource-policy': 'keep' })
    }
  },
)

t.test('the first token stays in it when the method is off', { skip: withoutHelm }, async (t) => {
  const off = await renderWith(t, { ...made, ...withoutTokens }, all)
  t.strictSame(namesOf(off), ['svc-bootstrap', 'svc-changes', 'svc-internal'])
  t.notOk(readBy(off).includes('svc-bootstrap'), 'which no pod reads')
  const none = await renderWith(t, { ...named, ...withoutTokens }, [])
  t.strictSame(namesOf(none), [], 'none is made')
})

t.test('what is missing is made, only where none is named', { skip: withoutHelm }, async (t) => {
  const half = { ...live('internal'), data: { secret: btoa('internal secret') } }
  const unnamed = { ...named, internal: {} }
  const [whole] = secretsOf(await renderWith(t, unnamed, [half]))
  t.match(whole?.data, { ...half.data, assertion_key: /^[A-Za-z0-9+/]{64}$/ })
  const [kept] = secretsOf(await renderWith(t, named, [half]))
  t.strictSame(kept?.data, half.data)
})

t.test('they stay in it where none may be made', { skip: withoutHelm }, async (t) => {
  const values = { ...named, secrets: { create: false } }
  t.strictSame(namesOf(await renderWith(t, values, [live('internal')])), ['svc-internal'])
})

t.test('no other Secret is taken into the manifest', { skip: withoutHelm }, async (t) => {
  const foreign = [
    live('bootstrap', {}),
    live('changes', { ...mark, 'meta.helm.sh/release-name': 'other' }),
    live('internal', { ...mark, 'meta.helm.sh/release-namespace': 'other' }),
  ]
  t.strictSame(namesOf(await renderWith(t, named, foreign)), [])
  const ofAnotherChart = live('internal', mark, 'vault')
  t.strictSame(namesOf(await renderWith(t, named, [ofAnotherChart])), [])
  t.strictSame(namesOf(await renderWith(t, named)), [], 'nor without a cluster')
})
