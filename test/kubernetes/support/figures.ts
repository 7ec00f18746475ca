import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { toColumns } from '../../support/columns.ts'

/** A line of the table that the suite prints at its end. */
interface Figure {
  readonly what: string
  readonly value: string
  readonly limit: string
}

/** Compares a figure with its limit, and puts it into the table. */
export function atMost(t: Test, what: string, value: number, limit: number, unit = ''): void {
  const text = (number: number) => `${Number(number.toFixed(2))}${unit && ` ${unit}`}`
  note({ what, value: text(value), limit: `≤ ${text(limit)}` })
  t.ok(value <= limit, `${what}: ${text(value)}`)
}

/** Puts a figure into the table that has no limit. */
export function note(figure: Figure): void {
  const { SVC_TEST_FIGURES: file } = process.env
  if (file === undefined) console.log(`${figure.what}: ${figure.value} (${figure.limit})`)
  else appendFileSync(file, `${JSON.stringify(figure)}\n`)
}

/** The table of all that was put into a file. */
export function describeFigures(file: string): string {
  if (!existsSync(file)) return ''
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Figure => JSON.parse(line))
  const cells = rows.map(({ what, value, limit }) => [what, value, limit])
  return toColumns([['figure', 'measured', 'must be'], ...cells])
}
