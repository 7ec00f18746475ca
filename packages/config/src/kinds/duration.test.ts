import fc from 'fast-check'
import t from 'tap'
import { parseDuration } from './duration.ts'

t.test('reads each unit', async (t) => {
  const table = { '1h': 3_600_000, '1m': 60_000, '1s': 1000, '1ms': 1, '1us': 0.001, '1ns': 1e-6 }
  for (const [text, ms] of Object.entries(table)) t.equal(parseDuration(text), ms, text)
  t.equal(parseDuration('1µs'), 0.001)
})

t.test('reads sums and fractions', async (t) => {
  const table = {
    '1h30m': 5_400_000,
    '1.5h': 5_400_000,
    '90m': 5_400_000,
    '0s': 0,
    '1m0.5s': 60_500,
    '2h3m4s5ms': 7_384_005,
    '5ms': 5,
  }
  for (const [text, ms] of Object.entries(table)) t.equal(parseDuration(text), ms, text)
})

t.test('reads back whatever whole parts are written', async () => {
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
  const texts = ['', ' ', '0', '30', '1.5', 'h', '1d', '1w', '-1h', '+1h', '1 h', ' 1h', '1h ']
  const more = [
    '1h1h',
    '1m1h',
    '.5h',
    '1.h',
    '1,5h',
    '1H',
    '1hour',
    '1e3s',
    'Infinityh',
    '٣h',
    '1h\n',
  ]
  for (const text of [...texts, ...more]) t.equal(parseDuration(text), undefined, `"${text}"`)
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
