/** @returns for people: `p50 1.2, p99 3.4, max 5.6` */
export function percentiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) =>
    (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1)
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`
}
