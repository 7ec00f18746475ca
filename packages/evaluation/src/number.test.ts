import fc from 'fast-check'
import t from 'tap'
import { numberPredicate, parseNumber } from './number.ts'

t.test('decimal numbers are read', async (t) => {
  const readings: readonly (readonly [string, number])[] = [
    ['1', 1],
    ['+1', 1],
    ['-1', -1],
    ['-.5', -0.5],
    ['5.', 5],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['25e-1', 2.5],
    ['007', 7],
    ['10.0', 10],
    ['1e-400', 0],
    ['9007199254740993', 9007199254740992],
  ]
  for (const [text, number] of readings) t.equal(parseNumber(text), number, text)
})

t.test('everything else is not a number', async (t) => {
  const texts = ['', ' ', ' 1', '1 ', '\n1', '1\n', '.', '+', 'e1', '1e', '1e+', '1.2.3', '--1']
  const words = ['abc', 'NaN', 'nan', 'inf', '-INF', 'Infinity', '1e400', '-1e400', 'null', 'true']
  const notations = ['0x10', '0x1p-2', '0b1', '0o7', '1_000', '_1', '1,5', '１', '١', '1n', '5%']
  for (const text of [...texts, ...words, ...notations]) {
    t.ok(Number.isNaN(parseNumber(text)), JSON.stringify(text))
  }
})

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

t.test('numbers compare as numbers', async (t) => {
  const truths: readonly (readonly [string, string, string, boolean])[] = [
    ['eq', '10', '1e1', true],
    ['eq', '10', '11', false],
    ['neq', '10', '11', true],
    ['neq', '10', '10.0', false],
    ['lt', '10', '9', true],
    ['lt', '10', '10', false],
    ['lte', '10', '10', true],
    ['lte', '10', '10.1', false],
    ['gt', '10', '11', true],
    ['gt', '10', '10', false],
    ['gte', '10', '10', true],
    ['gte', '10', '9', false],
    ['lt', '1e308', '-1e308', true],
  ]
  for (const [operator, operand, value, expected] of truths) {
    const holds = numberPredicate(operator, operand)
    t.equal(holds?.(value), expected, `${value} ${operator} ${operand}`)
  }
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
