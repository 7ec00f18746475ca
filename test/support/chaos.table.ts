import { toColumns } from './columns.ts'
import { describe, describeBound, type Figure, isMet } from './figures.ts'

/** A row of `test/fixtures/faults.yml`. */
export interface FaultRow {
  /** What is broken on purpose. */
  readonly scenario: string
  /** Files of `test/`, without their ending. */
  readonly tests: readonly string[]
}

export type FaultRows = Readonly<Record<string, FaultRow>>

/**
 * One table: a line for each figure, below each other those of a row. A row whose tests ran and gave no
 * figure, because they are skipped or crashed, is not met either.
 */
export function toTable(rows: FaultRows, figures: readonly Figure[]): string {
  const lines = Object.entries(rows).flatMap(([row, { scenario }]) => {
    const own = figures.filter((one) => one.row === row)
    if (own.length === 0) return [[row, scenario, 'has no figure', '', 'NOT MET']]
    return own.map((one, i) => [
      i === 0 ? row : '',
      i === 0 ? scenario : '',
      `${one.what}: ${describeBound(one.bound)}`,
      describe(one.measured, one.bound.unit),
      isMet(one) ? 'met' : 'NOT MET',
    ])
  })
  return toColumns([['row', 'scenario', 'figure to hold', 'measured', ''], ...lines])
}

/** Whether each row has figures, and all of them hold. */
export function areAllMet(rows: FaultRows, figures: readonly Figure[]): boolean {
  return Object.keys(rows).every((row) => {
    const own = figures.filter((one) => one.row === row)
    return own.length > 0 && own.every(isMet)
  })
}
