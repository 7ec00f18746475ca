import { lstatSync, readFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import { Ajv, type ErrorObject } from 'ajv'
import { RE2JS } from 're2js'
import t from 'tap'
import { parse } from 'yaml'
import { defaultValues, readText, root, set } from '../support/chart.ts'
import { readFixture } from '../support/fixtures.ts'
import { loadText, problemsOf } from '../support/settings.ts'

const text = readText('deploy/helm/values.schema.json')
const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(text))

/** The keys that a refusal names. */
function refused(values: unknown): readonly string[] {
  return validate(values) ? [] : (validate.errors ?? []).map(keyOf)
}

function keyOf({ instancePath, params }: ErrorObject): string {
  const { additionalProperty = '', missingProperty = '' } = params
  return [...instancePath.split('/').slice(1), additionalProperty, missingProperty]
    .filter((part) => part !== '')
    .join('.')
}

t.test('the defaults of the chart are values that it takes', async (t) => {
  t.strictSame(refused(defaultValues()), [])
})

t.test('dashboard and alerts of the chart are files, as pnpm generate copies them', async (t) => {
  for (const name of ['dashboard.json', 'alerts.yml']) {
    const copy = `deploy/helm/files/${name}`
    t.ok(lstatSync(`${root}${copy}`).isFile())
    t.equal(readText(copy), readText(`deploy/observability/${name}`))
  }
})

t.test('the values that documents show are taken', async (t) => {
  const page = readText('docs/kubernetes.md')
  const blocks = page.split('```yaml\n# values.yaml\n').slice(1)
  t.ok(blocks.length > 5)
  for (const block of blocks) t.strictSame(refused(parse(block.split('```')[0] ?? '')), [], block)
})

t.test('every value of the chart that is no setting has its default in values.yaml', async (t) => {
  const { properties } = JSON.parse(text)
  const { global: _, ...known } = properties
  t.strictSame(Object.keys(known).sort(), Object.keys(defaultValues()).sort())
})

/** Whether one is the other, or a section of it. */
function isPartOf(one: string, other: string): boolean {
  return `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`)
}

t.test('wrong values are refused, each by its key', async (t) => {
  const cases = readFixture<{ schema: readonly [string, unknown][] }>('chart-values').schema
  t.ok(cases.length >= 40, `${cases.length} wrong values`)
  for (const [key, value] of cases) {
    const named = refused(set(defaultValues(), key, value))
    t.ok(
      named.some((name) => name !== '' && name !== 'config' && isPartOf(name, key)),
      `${key}: ${JSON.stringify(value)} ${named.join(' ')}`,
    )
  }
})

t.test(
  'each wrong value of a setting that a file may not have is refused, or passed on',
  async (t) => {
    const cases = new URL('../../fixtures/settings/values.cases.yml', import.meta.url)
    const all = parse(readFileSync(cases, 'utf8')) as readonly {
      readonly key: string
      readonly values: readonly string[]
    }[]
    let count = 0
    for (const { key, values } of all.filter(
      ({ key }) => authSettings.index.find(key)?.key === key,
    )) {
      for (const value of values) {
        const named = refused({ config: set({}, key, parse(value)) })
        for (const name of named) t.match(name, `config.${key}`, `${key}: ${value}`)
        count += Math.min(named.length, 1)
      }
    }
    t.ok(count > 90, `${count} refused by the schema; the rest is refused at the start`)
  },
)

t.test('every file of settings that the services accept, in full keys, is taken', async (t) => {
  const whole = readText('deploy/config.yml').replace(/^( *)# ([a-z_]+:(?: |$)| *- )/gm, '$1$2')
  const cases = new URL('../../fixtures/settings/accepted.cases.yml', import.meta.url)
  const groups = parse(readFileSync(cases, 'utf8')) as Record<
    string,
    readonly { readonly sources: readonly { readonly file?: string }[] }[]
  >
  const files = Object.values(groups)
    .flat()
    .flatMap(({ sources }) => sources.flatMap(({ file }) => file ?? []))
    // Some are only accepted for a variable that goes before them.
    .filter((file) => problemsOf(() => loadText(t.testdir(), file)).length === 0)
    .map((file) => parse(file, { merge: true }) as unknown)
    .filter((file) => keysOf(file).every((key) => authSettings.index.find(key)?.key === key))
  t.ok(files.length > 5, `${files.length} files`)
  for (const config of [parse(whole), ...files]) {
    const { health: _, ...others } = withoutSecrets(config) as Record<string, unknown>
    t.strictSame(refused({ config: others }), [], JSON.stringify(others))
  }
})

function withoutSecrets(value: unknown, key = ''): unknown {
  if (authSettings.index.find(key)?.isSecret) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, child]) => [
    name,
    withoutSecrets(child, key === '' ? name : `${key}.${name}`),
  ])
  return Object.fromEntries(members.filter(([, child]) => child !== undefined))
}

/** The keys of what is no section. */
function keysOf(value: unknown, key = ''): string[] {
  if (typeof value !== 'object' || value === null) return [key]
  if (key !== '' && !authSettings.index.isSection(key)) return [key]
  return Object.entries(value).flatMap(([name, child]) =>
    name.includes('.') ? ['dotted'] : keysOf(child, key === '' ? name : `${key}.${name}`),
  )
}

t.test(
  'its patterns are of RE2, which Helm has, and of JavaScript, which editors have',
  async (t) => {
    const patterns = new Set(
      Array.from(text.matchAll(/"pattern": (".*")/g), ([, one = '""']) => one),
    )
    t.ok(patterns.size > 20, `${patterns.size} patterns`)
    for (const one of patterns) {
      const pattern = JSON.parse(one) as string
      t.doesNotThrow(() => RE2JS.compile(pattern), pattern)
      t.doesNotThrow(() => new RegExp(pattern, 'u'), pattern)
    }
  },
)
