import fc from 'fast-check'
import t from 'tap'
import { parseDuration } from './values.ts'

t.test('reads each unit, sums and fractions', async (t) => {
  const table = {
    ...{ '1us': 0.001, '1µs': 0.001, '1ns': 1e-6, '0s': 0, '5ms': 5 },
    ...{ '1.5h': 5_400_000, '90m': 5_400_000, '1m0.5s': 60_500 },
  }
  for (const [text, ms] of Object.entries(table)) t.equal(parseDuration(text), ms, text)
  const parts = fc.record({
    h: fc.nat(876_000),
    m: fc.nat(10_000),
    s: fc.nat(10_000),
    ms: fc.nat(10_000),
  })
  fc.assert(
    fc.property(parts, ({ h, m, s, ms }) => {
      const expected = h * 3_600_000 + m * 60_000 + s * 1000 + ms
      return parseDuration(`${h}h${m}m${s}s${ms}ms`) === expected
    }),
  )
})

t.test('refuses what is not a duration', async (t) => {
  const numbers = ['', ' ', '0', '30', '1.5', 'h', '-1h', '+1h', '.5h', '1.h', '1,5h', '٣h', '1e3s']
  const units = [
    '1d',
    '1w',
    '1H',
    '1hour',
    '1 h',
    ' 1h',
    '1h ',
    '1h\n',
    '1h1h',
    '1m1h',
    'Infinityh',
  ]
  for (const text of [...numbers, ...units]) t.equal(parseDuration(text), undefined, `"${text}"`)
})

t.test('gives a finite number or nothing, whatever it is given', async () => {
  const likely = fc.stringMatching(/^[0-9.hmsun -]{0,20}$/)
  fc.assert(
    fc.property(fc.oneof(fc.string(), likely), (text) => {
      const ms = parseDuration(text)
      return ms === undefined || (Number.isFinite(ms) && ms >= 0 && /\d[a-zµ]+$/.test(text))
    }),
  )
})
