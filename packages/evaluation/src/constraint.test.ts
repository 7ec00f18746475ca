import t from 'tap'
import { compileConstraint, constraintMatches } from './constraint.ts'
import type { Context } from './context.ts'
import { toEntity } from './entity.ts'

function matches(
  [type, property, operator, value]: readonly [string, string, string, string],
  context: Context,
  entityId = '',
): boolean {
  return constraintMatches(
    compileConstraint({ type, property, operator, value }, undefined),
    toEntity(entityId, context),
  )
}

t.test('each type has its own reading of the value', async (t) => {
  const context = { plan: 'pro', age: '1e1', staff: 'T', since: '2024-01-02' }
  t.ok(matches(['STRING_COMPARISON_TYPE', 'plan', 'prefix', 'pr'], context))
  t.ok(matches(['NUMBER_COMPARISON_TYPE', 'age', 'eq', '10'], context))
  t.ok(matches(['BOOLEAN_COMPARISON_TYPE', 'staff', 'true', ''], context))
  t.ok(matches(['DATETIME_COMPARISON_TYPE', 'since', 'lt', '2024-01-02T00:00:01Z'], context))
  t.notOk(matches(['STRING_COMPARISON_TYPE', 'age', 'eq', '10'], context))
})

t.test('the name of a property is exact', async (t) => {
  t.notOk(matches(['STRING_COMPARISON_TYPE', 'Plan', 'eq', 'pro'], { plan: 'pro' }))
})

t.test('an entity id constraint is about the entity, whatever its property', async (t) => {
  const constraint = ['ENTITY_ID_COMPARISON_TYPE', 'entityId', 'isoneof', '["alice"]'] as const
  t.ok(matches(constraint, { entityId: 'bob' }, 'alice'))
  t.notOk(matches(constraint, { entityId: 'alice' }, 'bob'))
  t.notOk(matches(['ENTITY_ID_COMPARISON_TYPE', 'entityId', 'neq', 'bob'], {}, ''))
})

t.test('an absent value is present to no type', async (t) => {
  for (const type of ['NUMBER', 'BOOLEAN', 'DATETIME']) {
    t.notOk(matches([`${type}_COMPARISON_TYPE`, 'constructor', 'present', ''], {}), type)
    t.ok(matches([`${type}_COMPARISON_TYPE`, 'constructor', 'notpresent', ''], {}), type)
  }
  t.ok(matches(['STRING_COMPARISON_TYPE', '__proto__', 'empty', ''], {}))
})

t.test('a constraint that makes no sense never matches', async (t) => {
  const context = { plan: 'pro', age: '1' }
  t.notOk(matches(['UNKNOWN_COMPARISON_TYPE', 'plan', 'eq', 'pro'], context))
  t.notOk(matches(['STRING_COMPARISON_TYPE', 'plan', 'like', 'pro'], context))
  t.notOk(matches(['STRING_COMPARISON_TYPE', 'plan', 'isnotoneof', 'free'], context))
  t.notOk(matches(['NUMBER_COMPARISON_TYPE', 'age', 'neq', 'two'], context))
  t.notOk(matches(['DATETIME_COMPARISON_TYPE', 'age', 'isnotoneof', '[]'], context))
  t.notOk(matches(['', '', '', ''], context))
})
