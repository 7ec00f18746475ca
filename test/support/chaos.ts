// What `pnpm test:chaos` runs: the tests of `test/fixtures/faults.yml`, one after the other, and one table of all
// that they measured.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError, invalidArgument } from '@svc/runtime'
import { areAllMet, type FaultRows, toTable } from './chaos.table.ts'
import { figuresFile, readFigures } from './figures.ts'
import { readFixture } from './fixtures.ts'
import { runTests } from './run.tests.ts'

interface FaultSuite {
  /** By name, in the order in which they run. */
  readonly rows: FaultRows
  /** Variables that make the tests count less. */
  readonly reduced: Readonly<Record<string, string>>
}

const usage = 'Use: pnpm test:chaos [ROW …], for example pnpm test:chaos R-1 R-19'

/** Where the repository is: this file is test/dist/support/chaos.js. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

async function main(names: readonly string[]): Promise<number> {
  const { rows, reduced } = readFixture<FaultSuite>('faults')
  const unknown = names.find((name) => rows[name] === undefined)
  if (unknown !== undefined) throw invalidArgument(`There is no row ${unknown}. ${usage}`)
  const chosen = Object.fromEntries(
    Object.entries(rows).filter(([name]) => names.length === 0 || names.includes(name)),
  )
  const files = new Set(Object.values(chosen).flatMap(({ tests }) => tests))
  const paths = [...files].map((file) => `test/${file}.test.ts`)
  const figures = join(root, '.tap', 'figures.jsonl')
  mkdirSync(join(root, '.tap'), { recursive: true })
  rmSync(figures, { force: true })
  const isFull = process.env.CHAOS === 'full'
  const counts = isFull ? {} : { ...reduced, ...given(reduced) }
  console.log(isFull ? 'Full counts.' : 'Reduced counts; CHAOS=full is for all of them.')
  const options = { slow: false, unit: false, paths }
  const code = await runTests(root, options, { ...counts, [figuresFile]: figures })
  const measured = readFigures(figures)
  console.log(`\n${toTable(chosen, measured)}`)
  return code === 0 && !areAllMet(chosen, measured) ? 1 : code
}

/** Those that the environment sets already. */
function given(names: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.keys(names).map((name) => [name, process.env[name]])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

main(process.argv.slice(2).filter((name) => name !== '--')).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const known = error instanceof AppError ? error.message : undefined
    process.stderr.write(`${known ?? (error instanceof Error ? error.stack : error)}\n`)
    process.exit(2)
  },
)
