import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Test } from 'tap'

/** What a measured figure has to be. Without a bound it is shown, and holds nothing. */
export interface Bound {
  readonly atMost?: number
  readonly atLeast?: number
  /** For example `ms`; a count has none. */
  readonly unit?: string
}

/** A figure that a test of the fault suite has measured. */
export interface Figure {
  /** The row of `test/fixtures/faults.yml` that it is of, for example `R-1`. */
  readonly row: string
  /** For example `failed requests`. */
  readonly what: string
  readonly bound: Bound
  readonly measured: number
}

/** Names the file that figures are added to, a line of JSON each; `pnpm test:chaos` sets it. */
export const figuresFile = 'FIGURES_FILE'

/**
 * Asserts a figure of a row of the fault suite, and hands it to the table that `pnpm test:chaos` prints.
 *
 * @param measured not a number when it could not be measured, which fails
 */
export function figure(
  t: Pick<Test, 'ok' | 'comment'>,
  row: string,
  what: string,
  bound: Bound,
  measured: number,
): void {
  const one: Figure = { row, what, bound, measured }
  const file = process.env[figuresFile]
  if (file !== undefined)
    appendFileSync(file, `${JSON.stringify({ ...one, measured: String(measured) })}\n`)
  t.comment(`${row}: ${what}: ${describe(measured, bound.unit)}`)
  t.ok(isMet(one), `${row}: ${what}: ${describe(measured, bound.unit)}, ${describeBound(bound)}`)
}

/** Counts those of the outcomes of a load that are not `right`. */
export function wrongOf(outcomes: Readonly<Record<string, number>>): number {
  return Object.entries(outcomes)
    .filter(([name]) => name !== 'right')
    .reduce((sum, [, count]) => sum + count, 0)
}

export function isMet({ bound, measured }: Figure): boolean {
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = bound
  return measured <= atMost && measured >= atLeast
}

/** @returns the figures that were added to the file, none when there is no such file */
export function readFigures(file: string): readonly Figure[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => {
    const read = JSON.parse(line) as Omit<Figure, 'measured'> & { readonly measured: string }
    return { ...read, measured: Number(read.measured) }
  })
}

export function describeBound({ atMost, atLeast, unit }: Bound): string {
  if (atMost === 0 && atLeast === undefined) return 'none'
  const parts = [
    atLeast === undefined ? undefined : `at least ${describe(atLeast, unit)}`,
    atMost === undefined ? undefined : `at most ${describe(atMost, unit)}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? 'shown only' : parts.join(', ')
}

export function describe(value: number, unit = ''): string {
  const rounded = Number.isInteger(value) || !Number.isFinite(value) ? value : value.toFixed(2)
  return `${rounded}${unit === '' ? '' : ` ${unit}`}`
}
