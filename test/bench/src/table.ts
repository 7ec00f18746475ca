import { toColumns } from '@svc/test/support/columns'
import { type Figure, isReached, type Row } from './row.ts'

/** The rows as one table, figures of the same measurement below each other. */
export function toTable(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) => [
    cellsOf(row.id, row),
    ...Object.entries(row.also ?? {}).map(([name, figure]) => cellsOf(`  ${name}`, figure)),
  ])
  return toColumns([['row', 'figure', 'target', '', 'what'], ...lines])
}

function cellsOf(name: string, figure: Figure): readonly string[] {
  const { target, unit, what, detail } = figure
  const goal =
    target === undefined
      ? ''
      : 'atLeast' in target
        ? `>= ${write(target.atLeast, unit)}`
        : `<= ${write(target.atMost, unit)}`
  const verdict = target === undefined ? '' : isReached(figure) ? 'ok' : 'NOT REACHED'
  return [
    name,
    write(figure.ratio, unit),
    goal,
    verdict,
    detail === '' ? what : `${what} (${detail})`,
  ]
}

function write(value: number, unit: Figure['unit']): string {
  if (Number.isNaN(value)) return '-'
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return unit === undefined ? `${value.toFixed(digits)} x` : `${value.toFixed(digits)} ${unit}`
}
