import { isDeepStrictEqual } from 'node:util'
import type { EvaluationVector } from '@svc/evaluation/testing'
import type { Outcome } from './side.ts'

/** How a side did. */
export interface Result {
  readonly name: string
  readonly asked: number
  readonly right: number
  /** The first of what is not right, for people. */
  readonly wrong: readonly string[]
  /** Of all vectors together. */
  readonly ms: number
}

/** Differences that are shown of a side; the rest is likely to be more of the same. */
const maxShown = 3

/** A vector without an outcome counts as wrong. */
export function judge(
  name: string,
  vectors: readonly EvaluationVector[],
  outcomes: readonly Outcome[],
  ms: number,
): Result {
  const wrong = vectors.flatMap(({ request }, index) => {
    const outcome = outcomes[index]
    if (outcome !== undefined && isDeepStrictEqual(asJson(outcome.given), asJson(outcome.right))) {
      return []
    }
    const { given, right } = outcome ?? {}
    return [`${write(request)}\n    right ${write(right)}\n    given ${write(given)}`]
  })
  return {
    name,
    asked: vectors.length,
    right: vectors.length - wrong.length,
    wrong: wrong.slice(0, maxShown),
    ms,
  }
}

/** @param results none of no vectors: that is no conformance */
export function isConformant(results: readonly Result[]): boolean {
  return results.length > 0 && results.every(({ asked, right }) => asked > 0 && right === asked)
}

/** The results as one table, each with its share. */
export function toTable(results: readonly Result[]): string {
  const cells = [
    ['side', 'asked', 'right', 'share', 'took'],
    ...results.map(({ name, asked, right, ms }) => [
      name,
      String(asked),
      String(right),
      `${shareOf(right, asked)} %`,
      `${(ms / 1000).toFixed(1)} s`,
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  )
  return cells
    .map(([name = '', ...figures]) =>
      [
        name.padEnd(widths[0] ?? 0),
        ...figures.map((cell, index) => cell.padStart(widths[index + 1] ?? 0)),
      ].join('  '),
    )
    .join('\n')
}

/** Never 100 as long as one is wrong. */
function shareOf(right: number, asked: number): string {
  if (right === asked) return '100'
  return (Math.floor((right / asked) * 10_000) / 100).toFixed(2)
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}

function write(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}
