import { readFileSync } from 'node:fs'
import t from 'tap'
import { stringify } from 'yaml'
import { loadEnv, loadText, problemsOf } from './loading.test.support.ts'
import { allSettings, anyName, type Setting } from './setting-keys.ts'

const root = new URL('../../../', import.meta.url)
const configFile = readFileSync(new URL('deploy/config.yml', root), 'utf8')
const handbook = readFileSync(new URL('docs/configuration.md', root), 'utf8')

t.test(
  'deploy/config.yml has every setting, its default and its line of explanation',
  async (t) => {
    const [introduction = ''] = configFile.split('\n\n')
    t.match(introduction, /^(?:# .*\n?)+$/)
    t.equal(configFile, `${introduction}\n${[...configLines()].join('\n')}\n`)
  },
)

t.test('deploy/config.yml comes to the defaults', async (t) => {
  t.strictSame(loadText(t.testdir(), configFile), loadEnv({}))
})

t.test('what is commented out in deploy/config.yml is valid as well', async (t) => {
  const whole = configFile.replace(/^( *)# ([a-z_]+:(?: |$)| *- )/gm, '$1$2')
  t.not(whole, configFile)
  t.strictSame(
    problemsOf(() => loadText(t.testdir(), whole, secrets)),
    [],
  )
})

/** What the examples name in `${…}`. */
const secrets = Object.fromEntries(
  allSettings
    .map(({ example }) => /^\$\{(\w+)\}$/.exec(String(example))?.[1])
    .filter((name) => name !== undefined)
    .map((name) => [name, `a-secret-of-ours-that-is-long-enough-for-${name}`]),
)

t.test('docs/configuration.md has one row for every setting', async (t) => {
  const [, section = ''] = handbook.split('\n## Settings\n')
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  t.strictSame(rows, allSettings.map(toRow))
})

t.test('docs/configuration.md lists the settings that are secrets', async (t) => {
  const [, section = ''] = handbook.split('\n### Secrets\n')
  const [list = ''] = section.split('```')
  t.strictSame(
    [...list.matchAll(/^- `(.+)`$/gm)].map(([, key]) => key),
    allSettings.filter(({ isSecret }) => isSecret).map(({ key }) => key),
  )
})

t.test('the files that docs/configuration.md shows can be used', async (t) => {
  const files = handbook.split('```yaml\n# config.yml\n').slice(1)
  t.ok(files.length > 0)
  const env = { DATABASE: 'postgres://svc:secret@db:5432/svc' }
  for (const file of files) {
    const [text = ''] = file.split('```')
    t.strictSame(
      problemsOf(() => loadText(t.testdir(), text, env)),
      [],
      text,
    )
  }
})

t.test('the sections that docs/authentication.md shows can be used', async (t) => {
  const shown = readFileSync(new URL('docs/authentication.md', root), 'utf8')
  const sections = [...shown.matchAll(/^```yaml\n((?:server|authentication):\n.*?)^```$/gms)].map(
    ([, text = '']) => text,
  )
  t.ok(sections.length > 1)
  for (const section of sections) {
    const names = [...section.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const env = Object.fromEntries(names.map((name) => [name, `the-value-of-${name}`]))
    t.strictSame(
      problemsOf(() => loadText(t.testdir(), section, env)),
      [],
      section,
    )
  }
})

t.test('the errors that docs/configuration.md shows are those that come', async (t) => {
  const directory = t.testdir()
  const file = 'version: "1.0"\nlog:\n  lvl: info\n\n\nserver:\n  http_port: http\n'
  const env = { SVC_TOKEN_CLEANUP_INTERVAL: '60' }
  const lines = problemsOf(() => loadText(directory, file, env), directory)
  t.match(handbook, `\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`)
})

t.test('every explanation is one short sentence', async (t) => {
  for (const { key, description } of allSettings) t.match(description, /^[A-Za-z].{10,88}\.$/, key)
})

function* configLines(): Generator<string> {
  let open: readonly string[] = []
  for (const setting of allSettings) {
    const sections = setting.path.slice(0, -1)
    const names = setting.key.split('.')
    if (setting.path[0] !== open[0]) yield ''
    for (const depth of sections.keys()) {
      const isOpen = open.slice(0, depth + 1).join('.') === sections.slice(0, depth + 1).join('.')
      if (isOpen) continue
      yield `${indentOf(depth)}${names[depth] === anyName ? '# example' : names[depth]}:`
    }
    open = setting.path
    yield* settingLines(setting, names.at(-1) ?? '', indentOf(sections.length))
  }
}

/** What belongs to a section that is an example itself is commented out with it. */
function* settingLines(setting: Setting, name: string, indent: string): Generator<string> {
  const { description, fallback, example, key } = setting
  const mark = fallback === undefined || key.includes(anyName) ? '# ' : ''
  yield `${indent}# ${description}`
  const lines = stringify({ [name]: fallback ?? example })
    .trimEnd()
    .split('\n')
  for (const line of lines) yield `${indent}${mark}${line}`
}

function indentOf(depth: number): string {
  return '  '.repeat(depth)
}

function toRow({ key, variable, description, fallback, isMap }: Setting): string {
  const items = Array.isArray(fallback)
    ? fallback.map((item) => `\`${item}\``)
    : [isMap ? '`{}`' : `\`${fallback}\``]
  const shown = fallback === undefined ? '' : items.join(', ') || '`[]`'
  return `| \`${key}\` | \`${variable}\` | ${shown} | ${description} |`
}
