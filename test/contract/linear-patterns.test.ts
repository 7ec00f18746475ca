import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tokenizer, tokTypes } from 'acorn'
import { analyse } from 'scslre'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const compiled = globSync('{packages,services}/*/dist/**/*.js', { cwd: root })
/** Without the bundle of the interface: it has our patterns again, and those of its libraries. */
const files = compiled.filter((file) => !/\.test\.|testing|\/dist\/site\//.test(file))

interface Pattern {
  readonly file: string
  readonly source: string
  readonly flags: string
}

/** The regular expressions that stand in a file; those that are put together at run time are not seen. */
function patternsIn(file: string): Pattern[] {
  const code = readFileSync(root + file, 'utf8')
  const tokens = [...tokenizer(code, { ecmaVersion: 'latest', sourceType: 'module' })]
  return tokens.flatMap(({ type, start, end }) => {
    if (type !== tokTypes.regexp) return []
    const text = code.slice(start, end)
    const close = text.lastIndexOf('/')
    return [{ file, source: text.slice(1, close), flags: text.slice(close + 1) }]
  })
}

/**
 * Whether there are texts for which it takes more than linear time: by parts of the pattern that match
 * the same text, or by beginning anew at each place of it.
 */
function isSuperLinear({ source, flags }: Pick<Pattern, 'flags' | 'source'>): boolean {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true } })
  return reports.length > 0
}

t.test('the analysis finds what takes quadratic or exponential time', async (t) => {
  for (const source of ['^[ \\t]+|[ \\t]+$', '^(a+)+$', '^a*a*b$', ',.*;']) {
    t.ok(isSuperLinear({ source, flags: '' }), source)
  }
  t.notOk(isSuperLinear({ source: '^[ \\t]*(?:;|$)', flags: '' }))
})

t.test(
  'no pattern of the services takes more than linear time, whatever text it gets',
  async (t) => {
    const patterns = files.flatMap(patternsIn)
    t.ok(patterns.length > 100, `${patterns.length} patterns in ${files.length} files`)
    const bad = patterns.filter(isSuperLinear)
    t.strictSame(
      bad.map(({ file, source, flags }) => `${file}: /${source}/${flags}`),
      [],
    )
  },
)
