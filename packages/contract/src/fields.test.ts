import t from 'tap'
import { checkFields, type FieldRule } from './fields.ts'

const check = (rule: FieldRule, value: unknown) => checkFields({ f: rule }, { f: value })
const refused = (rule: string) => ({
  code: 'invalid_argument',
  message: `invalid field f: ${rule}`,
})

t.test('a key has letters, digits, "-", "_" and ","', async (t) => {
  const key = { required: true, key: true }
  for (const text of ['a', 'A-b_c,9', '-', 'constructor', '__proto__', 'k'.repeat(255)]) {
    t.doesNotThrow(() => check(key, text))
  }
  const message = /contains invalid characters: allowed are letters, digits, "-", "_" and ","$/
  for (const text of ['.', '..', '/', 'a/b', 'a\0', 'ｋ', 'k ']) {
    t.throws(() => check(key, text), { message })
  }
  t.throws(() => check(key, ''), refused('must not be empty'))
  t.throws(() => check(key, 'k'.repeat(256)), refused('must be at most 255 characters'))
  t.doesNotThrow(() => check({ key: true }, ''), 'one that is not required may be left out')
})

t.test('a list of keys has keys only', async (t) => {
  t.doesNotThrow(() => check({ key: true }, []))
  t.doesNotThrow(() => check({ key: true }, ['a', 'b']))
  t.throws(() => check({ key: true }, ['a', '']), refused('must not be empty'))
  t.throws(() => check({ key: true }, ['a', 'b/']), { message: /invalid characters/ })
})

t.test('what is required may not be left out, nor be blank where that is said', async (t) => {
  t.throws(() => check({ required: true }, ''), refused('must not be empty'))
  t.doesNotThrow(() => check({ required: true }, ' '))
  t.throws(() => check({ required: true, notBlank: true }, ' \t\n'), refused('must not be empty'))
  t.doesNotThrow(() => check({ required: true }, undefined), 'a message says so by itself')
})

t.test('a length counts characters and not units', async (t) => {
  const short = { maxLength: 255 }
  t.doesNotThrow(() => check(short, '💡'.repeat(255)))
  const tooLong = refused('must be at most 255 characters')
  t.throws(() => check(short, '💡'.repeat(256)), tooLong)
  t.throws(() => check(short, 'n'.repeat(256)), tooLong)
  t.throws(() => check(short, 'n'.repeat(5_000_000)), tooLong)
})

t.test('a size counts bytes of UTF-8', async (t) => {
  t.doesNotThrow(() => check({ maxBytes: 4 }, 'éé'))
  t.throws(() => check({ maxBytes: 4 }, 'ééa'), refused('must be at most 4 bytes'))
})

t.test('a number lies within its bounds, as a 32-bit float', async (t) => {
  const share = { minimum: 0, maximum: 100 }
  for (const value of [0, -0, 33.33, 100, 100.000001]) t.doesNotThrow(() => check(share, value))
  t.throws(() => check(share, -0.1), refused("must be greater than or equal to '0'"))
  t.throws(() => check(share, Number.NaN), refused("must be greater than or equal to '0'"))
  t.throws(() => check(share, 100.1), refused("must be less than or equal to '100'"))
})

t.test('a list and an object have as many members as may be', async (t) => {
  t.throws(() => check({ minItems: 2 }, ['a']), refused('must contain atleast 2 elements'))
  t.throws(() => check({ maxItems: 1 }, ['a', 'b']), refused('must contain at most 1 elements'))
  t.throws(
    () => check({ maxProperties: 1 }, { a: 1, b: 2 }),
    refused('must have at most 1 entries'),
  )
  t.throws(() => check({ maxLength: 2 }, ['ab', 'abc']), refused('must be at most 2 characters'))
  t.doesNotThrow(() => check({ maxLength: 2 }, ['ab', 'éé', '']))
  t.doesNotThrow(() => check({ minItems: 1, maxItems: 1, maxProperties: 1 }, ['a']))
})

t.test('the first field that breaks its rule is named', async (t) => {
  const rules = { a: { required: true }, b: { required: true } }
  t.throws(() => checkFields(rules, { b: '', a: '' }), { message: /^invalid field a:/ })
  t.throws(() => checkFields(rules, { a: 'x', b: '' }), { message: /^invalid field b:/ })
})
