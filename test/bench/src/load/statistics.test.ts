import t from 'tap'
import { alternate, median, percentile, together } from './statistics.ts'

t.test('a percentile is a value that so many do not exceed', async (t) => {
  const values = Float64Array.from({ length: 200 }, (_, i) => i + 1)
  t.equal(percentile(values, 50), 100)
  t.equal(percentile(values, 99), 198)
  t.equal(percentile(values, 100), 200)
  t.equal(percentile(Float64Array.of(7), 1), 7)
})

t.test('a median is the middle, or between the two that are', async (t) => {
  t.equal(median([3, 1, 2]), 2)
  t.equal(median([4, 1, 3, 2]), 2.5)
})

t.test('each measurement is compared with those before and after it', async (t) => {
  const order: string[] = []
  const give = (name: string, values: number[]) => async () => {
    order.push(name)
    return values.shift() ?? 0
  }
  const a = give('a', [10, 20, 40])
  const b = give('b', [30, 60])
  const { ratio } = await alternate(2, a, b, (value) => value)
  t.strictSame(order, ['a', 'b', 'a', 'b', 'a'])
  t.equal(ratio, 2)
})

t.test('several comparisons come to the mean of theirs', async (t) => {
  const first = { a: [10, 20], b: [30], ratio: 2 }
  const second = { a: [10, 10], b: [40], ratio: 4 }
  t.strictSame(together([first, second]), { a: [10, 20, 10, 10], b: [30, 40], ratio: 3 })
})
