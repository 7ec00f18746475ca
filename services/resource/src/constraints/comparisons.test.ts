import { checkFields } from '@svc/contract'
import { fieldRules } from '@svc/proto/field-rules'
import { ComparisonType, CreateConstraintRequest } from '@svc/proto/resource/v1/constraints'
import t from 'tap'
import { toStoredComparison } from './comparisons.ts'

function store(partial: Partial<CreateConstraintRequest>) {
  const request = CreateConstraintRequest.fromPartial({ segmentKey: 's', ...partial })
  checkFields(fieldRules.CreateConstraintRequest, request)
  return toStoredComparison(request)
}

function check(short: Short, operator: string, value = '', property?: string) {
  const type = ComparisonType[`${short}_COMPARISON_TYPE`]
  const usual = short === 'ENTITY_ID' ? 'entityId' : 'p'
  return store({ type, property: property ?? usual, operator, value })
}

const stored = (type: Short, operator: string, value: string) => check(type, operator, value).value
const list = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => `v${i}`))
const numbers = (length: number) => JSON.stringify(Array.from({ length }, (_, i) => i))

const order = 'eq neq lt lte gt gte present notpresent'
const text = 'eq neq contains notcontains isoneof isnotoneof'
const kinds = {
  STRING: { name: 'string', operators: `${text} empty notempty prefix suffix` },
  NUMBER: { name: 'number', operators: `${order} isoneof isnotoneof` },
  BOOLEAN: { name: 'boolean', operators: 'true false present notpresent' },
  DATETIME: { name: 'datetime', operators: order },
  ENTITY_ID: { name: 'entityId', operators: text },
}
type Short = keyof typeof kinds
const types = ['STRING', 'NUMBER', 'BOOLEAN', 'DATETIME', 'ENTITY_ID'] as const
const every = new Set(types.flatMap((type) => kinds[type].operators.split(' ')))

function usable(type: Short, operator: string): string {
  if (operator.startsWith('is')) return type === 'NUMBER' ? '[1]' : '["a"]'
  return type === 'DATETIME' ? '2024-01-02' : '1'
}

for (const type of types) {
  const { name, operators } = kinds[type]
  t.test(`a constraint of type ${name} has its operators and no others`, async (t) => {
    const own = new Set(operators.split(' '))
    for (const operator of every) {
      const upper = operator.toUpperCase()
      if (own.has(operator)) {
        t.equal(check(type, upper, usable(type, operator)).operator, operator)
      } else {
        const subject = `constraint operator "${upper}" is not valid for type ${name}`
        const valid = operators.replaceAll(' ', ', ').replace(/, (\w+)$/, ' or $1')
        const message = `${subject}: use ${valid}`
        t.throws(() => check(type, upper), { code: 'invalid_argument', message })
      }
    }
  })
}

t.test('refuses an unknown type', async (t) => {
  const request = { segmentKey: 's', property: 'p', operator: 'eq', value: 'v' }
  const message =
    /^invalid constraint type: "UNKNOWN_COMPARISON_TYPE": use STRING_COMPARISON_TYPE, .* or ENTITY_ID_COMPARISON_TYPE$/
  t.throws(() => store(request), { code: 'invalid_argument', message })
})

t.test('needs a property and an operator', async (t) => {
  const noProperty = { message: 'invalid field property: must not be empty' }
  t.throws(() => check('STRING', 'eq', 'v', ''), noProperty)
  t.throws(() => check('STRING', '', 'v'), { message: 'invalid field operator: must not be empty' })
})

t.test('compares the entity id under its own name only', async (t) => {
  const refused = { message: 'property is id instead of "entityId"' }
  t.throws(() => check('ENTITY_ID', 'eq', 'v', 'id'), refused)
})

t.test('keeps no value where the operator needs none', async (t) => {
  for (const operator of ['empty', 'notempty']) t.equal(stored('STRING', operator, 'x'), '')
  for (const operator of ['true', 'false', 'present', 'notpresent']) {
    t.equal(stored('BOOLEAN', operator, 'x'), '')
  }
  t.equal(stored('NUMBER', 'present', 'x'), '')
  t.equal(stored('DATETIME', 'notpresent', '2024-01-02'), '')
})

t.test('needs a value where the operator does', async (t) => {
  const refused = { message: 'invalid field value: must not be empty' }
  for (const operator of ['eq', 'prefix', 'isoneof'])
    t.throws(() => check('STRING', operator), refused)
  t.throws(() => check('NUMBER', 'lt'), refused)
  t.throws(() => check('DATETIME', 'gte'), refused)
  t.throws(() => check('ENTITY_ID', 'contains'), refused)
  const list = /^invalid field value: must not be empty: isoneof takes a JSON array of strings, /
  t.throws(() => check('STRING', 'isoneof'), { message: list })
})

t.test('takes the numbers that evaluation reads', async (t) => {
  for (const value of ['1', '+1', '-.5', '5.', '1e3']) t.equal(stored('NUMBER', 'eq', value), value)
  const message =
    'invalid value provided for property "p" of type number: must be a decimal number such as 1.5'
  for (const value of ['ten', ' 1', '0x10', '1e400', 'NaN', 'Infinity']) {
    t.throws(() => check('NUMBER', 'eq', value), { code: 'invalid_argument', message }, value)
  }
})

t.test('stores an instant in UTC without its fraction, and a day as it is', async (t) => {
  const forms = [
    ['2024-01-02', '2024-01-02'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['2024-01-02T03:04:05.999+02:00', '2024-01-02T01:04:05Z'],
    ['2023-12-31T23:30:00-01:00', '2024-01-01T00:30:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59Z'],
  ] as const
  for (const [sent, form] of forms) t.equal(stored('DATETIME', 'eq', sent), form)
})

t.test('refuses what is no datetime, also where no value is needed', async (t) => {
  const impossible = ['2024-02-30', '2024-01-02T24:00:00Z', '0000-01-01T00:00:00+01:00']
  for (const value of ['soon', '2024-1-2', '2024-01-02T03:04:05', ...impossible]) {
    const message = `parsing datetime from "${value}": must be an RFC 3339 date-time or a date, such as `
    t.throws(() => check('DATETIME', 'eq', value), { code: 'invalid_argument', message })
    t.throws(() => check('DATETIME', 'present', value), { message })
  }
})

t.test('does not quote more than a line of a bad datetime', async (t) => {
  const message = `parsing datetime from "${'9'.repeat(255)}…"`
  t.throws(() => check('DATETIME', 'eq', '9'.repeat(10_000)), { message })
})

t.test('takes lists of the right elements as they are spelt', async (t) => {
  for (const value of ['[]', ' [ "a" ,"b" ] ', '["a","a"]']) {
    t.equal(stored('STRING', 'isoneof', value), value)
    t.equal(stored('ENTITY_ID', 'isnotoneof', value), value)
  }
  t.equal(stored('NUMBER', 'isoneof', '[1, 2.50]'), '[1, 2.50]')
})

t.test('refuses other lists', async (t) => {
  const subject = 'invalid value provided for property'
  const strings = 'a JSON array of strings, as text, such as ["a","b"]'
  const string = `${subject} "p" of type string: isoneof takes ${strings}`
  const number = `${subject} "p" of type number: isnotoneof takes a JSON array of numbers, as text, such as [1,2]`
  for (const value of ['a', '"a"', '{}', '[1]', 'null', '["a", null]', '["a"', '[["a"]]']) {
    t.throws(() => check('STRING', 'isoneof', value), { message: string }, value)
  }
  for (const value of ['1', '["1"]', '[null]', 'null', '[1e400]']) {
    t.throws(() => check('NUMBER', 'isnotoneof', value), { message: number }, value)
  }
  const entity = { message: `${subject} "entityId" of type entityId: isoneof takes ${strings}` }
  t.throws(() => check('ENTITY_ID', 'isoneof', '[1]'), entity)
})

t.test('takes 100 elements and not one more', async (t) => {
  t.equal(stored('STRING', 'isoneof', list(100)), list(100))
  t.equal(stored('NUMBER', 'isoneof', numbers(100)), numbers(100))
  const message = 'too many values provided for property "p" of type string (maximum 100)'
  t.throws(() => check('STRING', 'isoneof', list(101)), { code: 'invalid_argument', message })
  const ofNumbers = { message: /of type number \(maximum 100\)$/ }
  t.throws(() => check('NUMBER', 'isnotoneof', numbers(101)), ofNumbers)
})

t.test('takes 256 KiB of value and not one byte more', async (t) => {
  t.equal(stored('STRING', 'eq', 'v'.repeat(262_144)).length, 262_144)
  const message = 'invalid field value: must be at most 262144 bytes'
  t.throws(() => check('STRING', 'eq', 'v'.repeat(262_145)), { message })
})
