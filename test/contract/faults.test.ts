import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { FaultRows } from '../support/chaos.table.ts'
import { readFixture } from '../support/fixtures.ts'
import { listTestFiles } from '../support/run.options.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string) => readFileSync(root + path, 'utf8')

interface Suite {
  readonly rows: FaultRows
  readonly reduced: Readonly<Record<string, string>>
}

const { rows, reduced } = readFixture<Suite>('faults')
const files = new Map(
  listTestFiles(root)
    .filter(({ source }) => /^test\/(chaos|nightly)\//.test(source))
    .map(({ source }) => [source, read(source)]),
)
const sourceOf = (test: string) => files.get(`test/${test}.test.ts`) ?? ''

t.test('every row of the fault suite has tests that report its figures', async (t) => {
  t.ok(Object.keys(rows).length > 20)
  for (const [row, { tests }] of Object.entries(rows)) {
    t.ok(tests.length > 0, row)
    for (const test of tests) t.match(sourceOf(test), `'${row}'`, `${test} reports ${row}`)
  }
})

t.test('every figure is of a row that names its test', async (t) => {
  for (const [source, text] of files) {
    if (!text.includes('/support/figures.ts')) continue
    const test = source.replace('test/', '').replace('.test.ts', '')
    const named = new Set(Array.from(text.matchAll(/'(R-[A-Z0-9-]+)'/g), ([, row = '']) => row))
    t.ok(named.size > 0, source)
    for (const row of named) t.ok(rows[row]?.tests.includes(test), `${row} names ${test}`)
  }
})

t.test('every variable that reduces a count is read by a test', async (t) => {
  const all = [...files.values()].join('\n')
  for (const name of Object.keys(reduced)) t.match(all, `process.env.${name}`, name)
})

t.test('docs/reliability.md has a line for each row', async (t) => {
  const lines = Array.from(read('docs/reliability.md').matchAll(/^\| (R-[A-Z0-9-]+) \|/gm))
  t.strictSame(lines.map(([, row]) => row).toSorted(), Object.keys(rows).toSorted())
})
