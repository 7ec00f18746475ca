import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { listTestFiles } from '../support/run.options.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const files = listTestFiles(root).map(({ source }) => source)
const [shown = '', notShown = ''] = readFileSync(`${root}docs/claims.md`, 'utf8').split(
  '## Not shown by a test',
)
const claims = Array.from(
  shown.matchAll(/^\| (?!Claim|-)(.+) \| (.+) \|$/gm),
  ([, claim = '', shownBy = '']) => ({
    claim,
    names: Array.from(shownBy.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
  }),
)

function isThere(name: string): boolean {
  if (name.startsWith('pnpm ')) return true
  if (!name.endsWith('.test.ts')) return existsSync(root + name)
  return files.some((file) => file === name || file.endsWith(`/${name}`))
}

t.test('every claim names tests that exist', async (t) => {
  t.ok(claims.length > 90, `${claims.length} claims`)
  t.match(notShown, /^\| Claim \| Why \|$/m)
  for (const { claim, names } of claims) {
    const missing = names.filter((name) => !isThere(name))
    t.strictSame(missing, [], claim)
    t.ok(names.length > 0, claim)
  }
})

t.test('no claim stands twice', async (t) => {
  const texts = claims.map(({ claim }) => claim)
  t.strictSame(
    texts.filter((text, i) => texts.indexOf(text) !== i),
    [],
  )
})

t.test('every test of the contract, of faults and of load stands for a claim', async (t) => {
  const ours = files.filter((file) => /^test\/(contract|chaos|nightly)\//.test(file))
  const named = new Set(claims.flatMap(({ names }) => names))
  const isNamed = (file: string) =>
    [...named].some((name) => file === name || file.endsWith(`/${name}`))
  t.strictSame(
    ours.filter((file) => !isNamed(file)),
    [],
  )
})
