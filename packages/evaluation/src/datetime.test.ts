import fc from 'fast-check'
import t from 'tap'
import { datetimePredicate, parseDatetime } from './datetime.ts'

t.test('instants and days are read as seconds since 1970', async (t) => {
  const readings: readonly (readonly [string, number])[] = [
    ['1970-01-01', 0],
    ['1970-01-01T00:00:00Z', 0],
    ['2024-01-02T03:04:05Z', 1704164645],
    ['2024-01-02T3:04:05Z', 1704164645],
    ['2024-01-02T05:04:05+02:00', 1704164645],
    ['2024-01-01T21:34:05-05:30', 1704164645],
    ['2024-01-02T03:04:05-00:00', 1704164645],
    ['2024-01-02T03:04:05.123456789Z', 1704164645],
    ['2024-01-02T03:04:05,9+00:00', 1704164645],
    ['2024-02-29', 1709164800],
    ['1969-12-31T23:59:59.9Z', -1],
    ['1999-12-31T23:59:59-12:00', 946727999],
    ['2038-01-19T03:14:08Z', 2147483648],
    ['0000-01-01', -62167219200],
    ['9999-12-31T23:59:59Z', 253402300799],
  ]
  for (const [text, seconds] of readings) t.equal(parseDatetime(text), seconds, text)
})

t.test('everything else is no datetime', async (t) => {
  const shapes = [
    '',
    'yesterday',
    '1704164645',
    '2024',
    '2024-01',
    '2024-1-2',
    '20240102',
    '24-01-02',
  ]
  const days = ['2024-02-30', '2023-02-29', '1900-02-29', '2024-04-31', '2024-13-01', '2024-00-01']
  const clocks = [
    'T24:00:00Z',
    'T23:59:60Z',
    'T12:60:00Z',
    'T03:04Z',
    'T03:04:05',
    'T03:04:05+0200',
  ]
  const spellings = [
    't03:04:05Z',
    'T03:04:05z',
    ' 03:04:05Z',
    'T03:4:05Z',
    'T03:04:05.Z',
    'T:04:05Z',
  ]
  const offsets = [
    'T03:04:05+24:00',
    'T03:04:05+01:60',
    'T03:04:05+1:00',
    'T03:04:05Z+01:00',
    'Z',
    'T',
  ]
  const onDay = [...clocks, ...spellings, ...offsets].map((clock) => `2024-01-02${clock}`)
  const padded = [
    ' 2024-01-02',
    '2024-01-02 ',
    '2024-01-02\n',
    '+2024-01-02',
    '2024-01-00',
    '２024-01-02',
  ]
  for (const text of [...shapes, ...days, ...onDay, ...padded]) {
    t.ok(Number.isNaN(parseDatetime(text)), JSON.stringify(text))
  }
})

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

t.test(
  'instants compare as instants, whatever the offset and the length of the fraction',
  async (t) => {
    const long = '2024-01-02T03:04:05.123456789012345678901234567890'
    const truths: readonly (readonly [string, string, string, boolean])[] = [
      ['eq', '2024-01-02', '2024-01-02T00:00:00Z', true],
      ['eq', '2024-01-02T03:04:05Z', '2024-01-02T05:04:05+02:00', true],
      ['eq', '2024-01-02T03:04:05.5Z', '2024-01-02T3:04:05,500+00:00', true],
      ['eq', '2024-01-02T03:04:05.000Z', '2024-01-02T08:34:05+05:30', true],
      ['eq', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000000001Z', false],
      ['neq', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000000001Z', true],
      ['neq', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z', false],
      ['gt', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.000000001Z', true],
      ['lt', '2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.49999999Z', true],
      ['lt', '2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.5Z', false],
      ['lte', '2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.5Z', true],
      ['gte', '2024-01-02T03:04:05.5Z', '2024-01-02T03:04:05.12Z', false],
      ['gte', '2024-01-02', '2024-01-02', true],
      ['lt', `${long}1Z`, `${long}Z`, true],
      ['gt', `${long}1Z`, `${long}2Z`, true],
      ['gt', '2024-01-02T03:04:05.9Z', '2024-01-02T03:04:06Z', true],
      ['lt', '1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.4Z', true],
    ]
    for (const [operator, operand, value, expected] of truths) {
      const holds = datetimePredicate(operator, operand)
      t.equal(holds?.(value), expected, `${value} ${operator} ${operand}`)
    }
  },
)

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
