import t from 'tap'
import { inPortions } from './portions.ts'

t.test('a list comes in portions that keep to their bounds, in its order', async (t) => {
  const bounds = { maxBytes: 10, maxItems: 3, bytesOf: (size: number) => size }
  const portions = (sizes: readonly number[]) => [...inPortions(sizes, bounds)]
  t.strictSame(portions([]), [])
  t.strictSame(portions([1, 1, 1, 1]), [[1, 1, 1], [1]], 'so many')
  t.strictSame(portions([6, 4, 1]), [[6, 4], [1]], 'so large')
  t.strictSame(portions([2, 99, 2]), [[2], [99], [2]], 'one that is larger is alone')
})
