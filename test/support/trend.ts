/** How much the second grows with each one of the first, by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length
  const middleX = mean(points.map(([x]) => x))
  const middleY = mean(points.map(([, y]) => y))
  const covariance = points.map(([x, y]) => (x - middleX) * (y - middleY))
  const variance = points.map(([x]) => (x - middleX) ** 2)
  return mean(covariance) / mean(variance)
}
