import fc from 'fast-check'
import t from 'tap'
import { datetimePredicate, parseDatetime } from './datetime.ts'

t.test('what a date is written as is read as that date', async () => {
  const date = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(date, (value) => {
      const text = value.toISOString()
      return parseDatetime(text) === Math.floor(value.getTime() / 1000)
    }),
  )
})

t.test('a day is read when there is such a day', async () => {
  const two = (number: number) => String(number).padStart(2, '0')
  fc.assert(
    fc.property(fc.nat(9999), fc.nat(14), fc.nat(33), (year, month, day) => {
      const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
      const time = Date.parse(`${text}T00:00:00Z`)
      const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
      return exists ? parseDatetime(text) === time / 1000 : Number.isNaN(parseDatetime(text))
    }),
    { numRuns: 1000 },
  )
})

t.test('the offset moves the instant and nothing else', async () => {
  const minutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 })
  fc.assert(
    fc.property(minutes, (offset) => {
      const sign = offset < 0 ? '-' : '+'
      const hours = String(Math.floor(Math.abs(offset) / 60)).padStart(2, '0')
      const rest = String(Math.abs(offset) % 60).padStart(2, '0')
      const text = `2024-06-15T12:00:00${sign}${hours}:${rest}`
      return parseDatetime(text) === Date.UTC(2024, 5, 15, 12) / 1000 - offset * 60
    }),
  )
})

t.test('fractions compare as numbers do', async () => {
  const digits = fc.stringMatching(/^[0-9]{1,30}$/)
  fc.assert(
    fc.property(digits, digits, (a, b) => {
      const instant = (fraction: string) => `2024-01-02T03:04:05.${fraction}Z`
      const scaled = (fraction: string) => BigInt(fraction.padEnd(30, '0'))
      return datetimePredicate('lt', instant(a))?.(instant(b)) === scaled(b) < scaled(a)
    }),
  )
})

t.test('a value that is no datetime satisfies no comparison, negative ones included', async (t) => {
  for (const operator of ['eq', 'neq', 'lt', 'lte', 'gt', 'gte']) {
    for (const value of ['', 'yesterday', '2024-02-30', '2024-01-02T03:04:05']) {
      t.equal(datetimePredicate(operator, '2024-01-02')?.(value), false, `${value} ${operator}`)
    }
  }
})

t.test('bad operands, lists, and operators of other types make nothing', async (t) => {
  t.equal(datetimePredicate('eq', 'yesterday'), undefined)
  t.equal(datetimePredicate('isoneof', '["2024-01-02"]'), undefined)
  t.equal(datetimePredicate('isnotoneof', '2024-01-02'), undefined)
  t.equal(datetimePredicate('prefix', '2024-01-02'), undefined)
})
