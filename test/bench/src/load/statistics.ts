/** @param sorted ascending, not empty */
export function percentile(sorted: Float64Array, percent: number): number {
  const index = Math.ceil((percent / 100) * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? Number.NaN
}

/** @param values not empty, in any order */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The median of one figure of several measurements. */
export function medianOf<K extends string>(
  measured: readonly Readonly<Record<K, number>>[],
  name: K,
): number {
  return median(measured.map((each) => each[name]))
}

/** @param values not empty */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Two things, measured in alternation. */
export interface Compared<T> {
  readonly a: readonly T[]
  readonly b: readonly T[]
  /** Of `b` to `a`. */
  readonly ratio: number
}

/** What several comparisons of the same come to: every measurement, and the mean of the ratios. */
export function together<T>(compared: readonly Compared<T>[]): Compared<T> {
  return {
    a: compared.flatMap(({ a }) => a),
    b: compared.flatMap(({ b }) => b),
    ratio: mean(compared.map(({ ratio }) => ratio)),
  }
}

/**
 * Measures two things in alternation, `a` first and last, and compares each `b` with those beside
 * it: what the machine does meanwhile then weighs on both.
 *
 * @returns every measurement, and the median of the ratios of `b` to `a`
 */
export async function alternate<T>(
  rounds: number,
  a: () => Promise<T>,
  b: () => Promise<T>,
  figureOf: (measured: T) => number,
): Promise<Compared<T>> {
  let before = await a()
  const all = { a: [before], b: [] as T[] }
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const measured = await b()
    const after = await a()
    ratios.push(figureOf(measured) / ((figureOf(before) + figureOf(after)) / 2))
    all.b.push(measured)
    all.a.push(after)
    before = after
  }
  return { ...all, ratio: median(ratios) }
}
