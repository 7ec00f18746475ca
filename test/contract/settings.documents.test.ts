import { readFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import { fillSettingsTables, toConfigFile } from '@svc/config/documents'
import t from 'tap'
import { loadEnv, loadText, problemsOf } from '../support/settings.ts'

const root = new URL('../../../', import.meta.url)
const configFile = readFileSync(new URL('deploy/config.yml', root), 'utf8')
const page = readFileSync(new URL('docs/configuration.md', root), 'utf8')

t.test('pnpm generate changes neither deploy/config.yml nor docs/configuration.md', async (t) => {
  t.equal(configFile, toConfigFile(authSettings))
  t.equal(page, fillSettingsTables(page, authSettings))
})

t.test('a page without a place for the tables is refused', async (t) => {
  t.throws(
    () => fillSettingsTables('# Configuration', authSettings),
    /there is no <!-- generated: secrets/,
  )
})

t.test('deploy/config.yml comes to the defaults', async (t) => {
  t.strictSame(loadText(t.testdir(), configFile), loadEnv({}))
})

t.test('what is commented out in deploy/config.yml is also valid', async (t) => {
  const whole = configFile.replace(/^( *)# ([a-z_]+:(?: |$)| *- )/gm, '$1$2')
  t.not(whole, configFile)
  t.strictSame(
    problemsOf(() => loadText(t.testdir(), whole, secrets)),
    [],
  )
})

/** What the examples name in `${…}`. */
const secrets = Object.fromEntries(
  authSettings.index.settings
    .map(({ example }) => /^\$\{(\w+)\}$/.exec(String(example))?.[1])
    .filter((name) => name !== undefined)
    .map((name) => [name, `a-secret-of-ours-that-is-long-enough-for-${name}`]),
)

t.test('the files that docs/configuration.md shows can be used', async (t) => {
  const files = page.split('```yaml\n# config.yml\n').slice(1)
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
  const file = 'version: "1.0"\nserver:\n  port: 80\n\n\nlog:\n  level: loud\n'
  const env = { SVC_TOKEN_CLEANUP_INTERVAL: '60' }
  const lines = problemsOf(() => loadText(directory, file, env), directory)
  t.match(page, `\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`)
})

t.test('every explanation is one short sentence', async (t) => {
  for (const { key, description } of authSettings.index.settings)
    t.match(description, /^[A-Za-z].{10,88}\.$/, key)
})
