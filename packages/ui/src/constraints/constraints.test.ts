import t from 'tap'
import { fromInputTime, toInputTime, withOperator, withType, writeList } from './edits.ts'
import { comparesCase, kinds, needsProperty, operatorsOf, readList } from './kinds.ts'
import { problemOf } from './problems.ts'

const base = {
  type: 'STRING_COMPARISON_TYPE',
  property: 'country',
  operator: 'eq',
  value: 'DE',
  description: '',
} as const

t.test('each type has its operators, and none twice', async (t) => {
  t.equal(kinds.length, 5)
  for (const kind of kinds) t.equal(new Set(operatorsOf[kind]).size, operatorsOf[kind].length, kind)
  t.notOk(operatorsOf.DATETIME_COMPARISON_TYPE.includes('isoneof'))
  t.notOk(operatorsOf.ENTITY_ID_COMPARISON_TYPE.includes('prefix'))
  t.strictSame([...operatorsOf.NUMBER_COMPARISON_TYPE].sort(), [
    ...['eq', 'gt', 'gte', 'isnotoneof', 'isoneof', 'lt', 'lte', 'neq', 'notpresent', 'present'],
  ])
})

t.test('negations need the property, but not of an entity, which has an id', async (t) => {
  t.ok(needsProperty({ ...base, operator: 'notcontains' }))
  t.notOk(needsProperty({ ...base, operator: 'notpresent' }))
  t.notOk(needsProperty({ ...base, type: 'ENTITY_ID_COMPARISON_TYPE', operator: 'neq' }))
})

t.test('text compares with case', async (t) => {
  t.ok(comparesCase(base))
  t.notOk(comparesCase({ ...base, operator: 'empty' }))
  t.notOk(comparesCase({ ...base, type: 'NUMBER_COMPARISON_TYPE' }))
})

t.test('one value becomes a list, and a list its first value', async (t) => {
  const list = withOperator(base, 'isoneof')
  t.equal(list.value, '["DE"]')
  t.equal(withOperator({ ...list, value: '["FR","DE"]' }, 'neq').value, 'FR')
  t.equal(withOperator(list, 'empty').value, '')
  t.equal(withOperator({ ...base, value: '' }, 'isoneof').value, '')
})

t.test('another type keeps what makes sense of it', async (t) => {
  const number = withType(
    { ...base, operator: 'isoneof', value: '["1","x"]' },
    'NUMBER_COMPARISON_TYPE',
  )
  t.match(number, { operator: 'isoneof', value: '[1,"x"]', property: 'country' })
  t.match(withType({ ...base, operator: 'prefix' }, 'NUMBER_COMPARISON_TYPE'), { operator: 'eq' })
  t.match(withType(base, 'BOOLEAN_COMPARISON_TYPE'), { operator: 'true', value: '' })
  const entity = withType(base, 'ENTITY_ID_COMPARISON_TYPE')
  t.match(entity, { property: 'entityId', operator: 'eq', value: 'DE' })
  t.equal(withType(entity, 'STRING_COMPARISON_TYPE').property, '')
  t.equal(withType(base, 'DATETIME_COMPARISON_TYPE').value, '')
})

t.test('lists of numbers hold numbers, and null counts as an empty text', async (t) => {
  t.equal(writeList('NUMBER_COMPARISON_TYPE', ['1', '2.5', 'x']), '[1,2.5,"x"]')
  t.equal(writeList('STRING_COMPARISON_TYPE', ['1']), '["1"]')
  t.strictSame(readList('[1, null, "a"]'), ['1', '', 'a'])
  t.equal(readList('{}'), undefined)
  t.equal(readList('nothing'), undefined)
})

t.test('datetimes are shown and written in UTC', async (t) => {
  t.equal(toInputTime('2026-06-01'), '2026-06-01T00:00')
  t.equal(toInputTime('2026-06-01T02:00:00+02:00'), '2026-06-01T00:00')
  t.equal(toInputTime('2026-06-01T02:00:05Z'), '2026-06-01T02:00:05')
  t.equal(toInputTime('soon'), undefined)
  t.equal(fromInputTime('2026-06-01T00:00'), '2026-06-01T00:00:00Z')
  t.equal(fromInputTime('2026-06-01T00:00:05'), '2026-06-01T00:00:05Z')
})

t.test('what the service refuses is found before', async (t) => {
  const kindOf = (constraint: Partial<Parameters<typeof problemOf>[0]>) => {
    const { field, kind } = problemOf({ ...base, ...constraint }) ?? {}
    return field === undefined ? 'none' : `${field} ${kind}`
  }
  t.equal(kindOf({}), 'none')
  t.equal(kindOf({ property: ' ' }), 'property missing')
  t.equal(kindOf({ property: 'p'.repeat(256) }), 'property tooLong')
  t.equal(kindOf({ operator: 'lt' }), 'operator unknown')
  t.equal(kindOf({ value: '' }), 'value missing')
  t.equal(kindOf({ value: 'ä'.repeat(131_073) }), 'value tooLong')
  t.equal(kindOf({ operator: 'empty', value: '' }), 'none')
  t.equal(kindOf({ operator: 'isoneof', value: 'DE' }), 'value noList')
  t.equal(kindOf({ operator: 'isoneof', value: JSON.stringify(Array(100).fill('a')) }), 'none')
  t.equal(
    kindOf({ operator: 'isoneof', value: JSON.stringify(Array(101).fill('a')) }),
    'value tooMany',
  )
  t.equal(kindOf({ type: 'NUMBER_COMPARISON_TYPE', value: '1_000' }), 'value noNumber')
  t.equal(kindOf({ type: 'NUMBER_COMPARISON_TYPE', value: '1e3' }), 'none')
  t.match(
    problemOf({ ...base, type: 'NUMBER_COMPARISON_TYPE', operator: 'isoneof', value: '[1,"x"]' }),
    {
      kind: 'noNumber',
      text: 'x',
    },
  )
  t.equal(
    kindOf({ type: 'DATETIME_COMPARISON_TYPE', operator: 'lt', value: '2026-02-30' }),
    'value noDate',
  )
  t.equal(kindOf({ type: 'DATETIME_COMPARISON_TYPE', operator: 'lt', value: '2026-02-28' }), 'none')
  t.equal(kindOf({ description: 'ä'.repeat(40_000) }), 'description tooLong')
})
