import fc from 'fast-check'
import t from 'tap'
import { shortestFloat } from './shortest-float.ts'

t.test('the shortest decimal of a 32-bit float', async (t) => {
  await t.test('is what was written', async (t) => {
    const written = [
      0, 1, 100, -1, 0.5, 0.1, 33.33, 33.34, 66.67, 12.345, 0.05, 99.99999, 1e-7, 16777216, 3e38,
      1.1754944e-38, 1e-45, 0.3, 4194304.5, 123456.78,
    ]
    for (const value of written) t.equal(shortestFloat(Math.fround(value)), value)
  })

  await t.test('comes back as the same float, and as short as two decimals', async (t) => {
    const any = fc.float({ noNaN: true, noDefaultInfinity: true })
    const same = fc.property(any, (value) => Object.is(Math.fround(shortestFloat(value)), value))
    t.doesNotThrow(() => fc.assert(same, { numRuns: 1000 }))
    const percentages = Array.from({ length: 10_001 }, (_, hundredths) => hundredths / 100)
    const longer = percentages.filter((value) => shortestFloat(Math.fround(value)) !== value)
    t.strictSame(longer, [])
  })
})
