import fc from 'fast-check'
import t from 'tap'
import { numberPredicate, parseNumber } from './number.ts'

t.test('what a number is written as is read as that number', async () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(number, (value) => parseNumber(String(value)) === value),
    { examples: [[Number.MAX_VALUE], [Number.MIN_VALUE], [-0]] },
  )
})

t.test('digits are read as the number nearest to them, however many there are', async () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 })
  fc.assert(fc.property(digits, (text) => parseNumber(text) === Number(text)))
})

t.test('what is read is a number to JavaScript as well, and finite', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123456789+-.eE_xn ') })
  fc.assert(
    fc.property(text, (value) => {
      const number = parseNumber(value)
      return Number.isNaN(number) || (number === Number(value) && Number.isFinite(number))
    }),
    { numRuns: 1000 },
  )
})

t.test('a text as long as a request may carry is read at once', async (t) => {
  const startedAt = performance.now()
  parseNumber(`${'1'.repeat(1_000_000)}x`)
  parseNumber(`${'1'.repeat(500_000)}.${'1'.repeat(500_000)}e`)
  t.ok(performance.now() - startedAt < 1000)
})

t.test(
  'a value that is not a number satisfies no comparison, negative ones included',
  async (t) => {
    for (const operator of ['eq', 'neq', 'lt', 'lte', 'gt', 'gte']) {
      for (const value of ['', 'abc', ' 1', 'NaN', 'Infinity']) {
        t.equal(numberPredicate(operator, '1')?.(value), false, `${value} ${operator} 1`)
      }
    }
  },
)

t.test(
  'an operand that is not a number, and an operator of another type, make nothing',
  async (t) => {
    t.equal(numberPredicate('eq', 'abc'), undefined)
    t.equal(numberPredicate('neq', ''), undefined)
    t.equal(numberPredicate('prefix', '1'), undefined)
    t.equal(numberPredicate('constructor', '1'), undefined)
  },
)
