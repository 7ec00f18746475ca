import t from 'tap'
import { compileConstraint, constraintMatches } from './constraint.ts'
import { type Context, toEntity } from './entity.ts'

function matches(
  [type, property, operator, value]: readonly [string, string, string, string],
  context: Context,
  entityId = '',
): boolean {
  const record = { type: `${type}_COMPARISON_TYPE`, property, operator, value }
  return constraintMatches(compileConstraint(record, undefined), toEntity(entityId, context))
}

t.test('each type has its own reading of the value', async (t) => {
  const context = { plan: 'pro', age: '1e1', staff: 'T', since: '2024-01-02' }
  t.ok(matches(['STRING', 'plan', 'prefix', 'pr'], context))
  t.ok(matches(['NUMBER', 'age', 'eq', '10'], context))
  t.ok(matches(['BOOLEAN', 'staff', 'true', ''], context))
  t.ok(matches(['DATETIME', 'since', 'lt', '2024-01-02T00:00:01Z'], context))
  t.notOk(matches(['STRING', 'age', 'eq', '10'], context))
})

t.test('six spellings of true and six of false are known, and no others', async (t) => {
  const isBoth = (value: string) =>
    ['true', 'false'].map((operator) => matches(['BOOLEAN', 'a', operator, ''], { a: value }))
  const table: [answers: boolean[], values: string[]][] = [
    [
      [true, false],
      ['1', 't', 'T', 'TRUE', 'true', 'True'],
    ],
    [
      [false, true],
      ['0', 'f', 'F', 'FALSE', 'false', 'False'],
    ],
    [
      [false, false],
      ['', 'tRUE', 'yes', 'no', ' true', 'true ', '2', '00', 'constructor'],
    ],
  ]
  for (const [answers, values] of table) {
    for (const value of values) t.strictSame(isBoth(value), answers, value)
  }
})

t.test('the name of a property is exact', async (t) => {
  t.notOk(matches(['STRING', 'Plan', 'eq', 'pro'], { plan: 'pro' }))
})

t.test('an entity id constraint is about the entity, whatever its property', async (t) => {
  const constraint = ['ENTITY_ID', 'entityId', 'isoneof', '["alice"]'] as const
  t.ok(matches(constraint, { entityId: 'bob' }, 'alice'))
  t.notOk(matches(constraint, { entityId: 'alice' }, 'bob'))
  t.notOk(matches(['ENTITY_ID', 'entityId', 'neq', 'bob'], {}, ''))
})

t.test('presence is about the text, of the type or not', async (t) => {
  const table: [context: Context, isPresent: boolean][] = [
    [{}, false],
    [Object.create(null), false],
    [{ a: '', constructor: '' }, false],
    [{ a: ' \u00a0\u2003', constructor: ' ' }, false],
    [{ a: 'yes', constructor: 'yes' }, true],
    [{ a: '0', constructor: '0' }, true],
  ]
  for (const type of ['NUMBER', 'BOOLEAN', 'DATETIME']) {
    for (const property of ['a', 'constructor']) {
      for (const [context, isPresent] of table) {
        t.equal(matches([type, property, 'present', ''], context), isPresent)
        t.equal(matches([type, property, 'notpresent', ''], context), !isPresent)
      }
    }
  }
  t.ok(matches(['STRING', '__proto__', 'empty', ''], {}))
})

t.test('a constraint that makes no sense never matches', async (t) => {
  const context = { plan: 'pro', age: '1', staff: 'true' }
  for (const constraint of [
    ['UNKNOWN', 'plan', 'eq', 'pro'],
    ['STRING', 'plan', 'like', 'pro'],
    ['STRING', 'plan', 'isnotoneof', 'free'],
    ['NUMBER', 'age', 'neq', 'two'],
    ['NUMBER', 'age', 'constructor', '1'],
    ['DATETIME', 'age', 'isnotoneof', '[]'],
    ['BOOLEAN', 'staff', 'eq', 'true'],
    ['BOOLEAN', 'staff', 'toString', ''],
    ['', '', '', ''],
  ] as const) {
    t.notOk(matches(constraint, context), String(constraint))
  }
})
