import { readFileSync } from 'node:fs'
import { authSettings } from '@svc/auth/settings'
import t from 'tap'
import { parse } from 'yaml'
import { loadEnv, loadText, problemsOf } from '../support/settings.ts'

/** Sources that are refused, and every line of the refusal. */
interface Refused {
  readonly file?: string
  readonly env?: Readonly<Record<string, string>>
  readonly problems: readonly string[]
}

/** Values that one setting refuses in the same words, as they stand in a file. */
interface RefusedValues {
  readonly key: string
  readonly wrong: string
  readonly values: readonly string[]
}

/** A file, and what its refusal has in it; without that it is accepted. */
interface Needs {
  readonly file: string
  readonly refused?: string
}

function readCases(name: string) {
  const file = new URL(`../../fixtures/settings/${name}.cases.yml`, import.meta.url)
  return parse(readFileSync(file, 'utf8'))
}

/** `<x*3>` stands for `xxx`, with the number of each in the place of `#`. */
function expand(value: string): string {
  return value.replace(/<([^*<>]+)\*(\d+)>/g, (_, text: string, count: string) =>
    Array.from({ length: Number(count) }, (_, i) => text.replace('#', String(i))).join(''),
  )
}

const groups: Readonly<Record<string, readonly Refused[]>> = readCases('refused')
const values: readonly RefusedValues[] = readCases('values')
const needs: readonly Needs[] = readCases('requirements')

for (const [group, cases] of Object.entries(groups)) {
  t.test(`refuses ${group}`, async (t) => {
    const directory = t.testdir()
    for (const { file, env = {}, problems } of cases) {
      const given = { NONSENSE: 'hunter2', ...env }
      const load = () => (file === undefined ? loadEnv(env) : loadText(directory, file, given))
      t.strictSame(problemsOf(load, directory), problems, file ?? JSON.stringify(env))
    }
  })
}

t.test('refuses values of the wrong kind in the file', async (t) => {
  const directory = t.testdir()
  for (const { key, wrong, values: texts } of values) {
    const remedy = `Correct it here or set ${authSettings.index.find(key)?.variable}.`
    const todo = wrong === 'has no value' ? 'Give it one or remove the line.' : remedy
    for (const value of texts) {
      const lines = problemsOf(() => loadText(directory, `${key}: ${expand(value)}\n`), directory)
      t.strictSame(lines, [`config.yml:1:1  ${key} ${wrong}. ${todo}`], `${key}: ${value}`)
    }
  }
})

t.test('holds variables to the same rules as the file', async (t) => {
  // Lists, quotes and words for nothing mean something in YAML only.
  const shared = values.filter(
    ({ wrong }) => !/in quotes|lacks|^must be a list|^has no/.test(wrong),
  )
  for (const { key, wrong, values: texts } of shared) {
    const { key: long, variable = '' } = authSettings.index.find(key) ?? {}
    for (const value of texts.map(expand).filter((value) => /^[\w%:/@.-]+$/.test(value))) {
      const expected = `${variable}  ${long} ${wrong}. Correct or unset ${variable}.`
      t.strictSame(
        problemsOf(() => loadEnv({ [variable]: value })),
        [expected],
        value,
      )
    }
  }
})

t.test('a method that is enabled has what it needs, or the start is refused', async (t) => {
  const directory = t.testdir()
  for (const { file, refused } of needs) {
    const problems = problemsOf(() => loadText(directory, file), directory)
    if (refused === undefined) t.strictSame(problems, [], file)
    else t.match(problems.join('\n'), refused, file)
  }
})
