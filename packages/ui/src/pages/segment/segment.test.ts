import type { ConstraintDocument, SegmentDocument } from '@svc/client/api'
import t from 'tap'
import { readContext } from './context.ts'
import { evaluateSegment } from './evaluate.ts'
import { countChanges, newId, propertiesOf, restore, rowsOf } from './rows.ts'

function constraint(id: string, value = id): ConstraintDocument {
  return {
    id,
    type: 'STRING_COMPARISON_TYPE',
    property: `p${id}`,
    operator: 'eq',
    value,
    description: '',
  }
}
const [a, b, c, d] = [constraint('a'), constraint('b'), constraint('c'), constraint('d')]
const segment: SegmentDocument = {
  key: 'staff',
  name: 'Staff',
  description: '',
  matchType: 'ALL_MATCH_TYPE',
  constraints: [a, b, c],
}

t.test('a draft shows what it adds, changes and takes away, in its place', async (t) => {
  const rows = rowsOf([a, b, c], [{ ...a, value: 'x' }, c, d])
  t.strictSame(
    rows.map(({ constraint, state }) => `${constraint.id} ${state}`),
    ['a edited', 'b removed', 'c clean', 'd added'],
  )
  t.strictSame(
    rowsOf([a, b], []).map(({ constraint }) => constraint.id),
    ['a', 'b'],
  )
})

t.test('what was taken away comes back where it was', async (t) => {
  t.strictSame(restore([a, b, c], [d], 'b'), [b, d])
  t.strictSame(restore([a, b, c], [a, c, d], 'b'), [a, b, c, d])
})

t.test('changes are counted as people do', async (t) => {
  t.equal(countChanges(segment, segment), 0)
  const next = { ...segment, matchType: 'ANY_MATCH_TYPE' as const, constraints: [a, d] }
  t.equal(countChanges(segment, next), 4, 'the word, two gone and one new')
})

t.test('properties of other segments are known, with the type that most have', async (t) => {
  const known = propertiesOf([
    { constraints: [a, b, { ...b, type: 'NUMBER_COMPARISON_TYPE' as const }].map(toStored) },
    { constraints: [{ ...b, type: 'NUMBER_COMPARISON_TYPE' as const }].map(toStored) },
  ])
  t.strictSame(known, [
    { name: 'pb', type: 'NUMBER_COMPARISON_TYPE' },
    { name: 'pa', type: 'STRING_COMPARISON_TYPE' },
  ])
})

function toStored(constraint: ConstraintDocument) {
  const at = '2026-01-01T00:00:00Z'
  return { ...constraint, segmentKey: 's', namespaceKey: 'n', createdAt: at, updatedAt: at }
}

t.test('new constraints have ids of their own', async (t) => {
  t.match(newId(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/)
  t.not(newId(), newId())
})

t.test('a context is lines or JSON', async (t) => {
  const contextOf = (text: string) => ({ ...Object(Reflect.get(readContext(text), 'context')) })
  t.strictSame(contextOf('country = DE\n\n note = a = b \n empty ='), {
    country: 'DE',
    note: 'a = b',
    empty: '',
  })
  t.strictSame(contextOf('{"a": 1, "b": null, "c": [1]}'), { a: '1', c: '[1]' })
  t.strictSame(readContext('a = 1\nb'), { wrongLine: 2 })
  t.strictSame(readContext('= 1'), { wrongLine: 1 })
  t.strictSame(readContext('{"a"'), { wrongLine: undefined })
  t.strictSame(readContext('{"a": 1}x'), { wrongLine: undefined })
})

t.test('a segment is evaluated by the engine', async (t) => {
  const finding = evaluateSegment(segment, 'user-1', { pa: 'a', pb: 'B' })
  t.equal(finding?.member, false)
  t.strictSame(
    finding?.constraints.map(({ holds, cause }) => [holds, cause]),
    [
      [true, 'COMPARED_CAUSE'],
      [false, 'COMPARED_CAUSE'],
      [false, 'ABSENT_CAUSE'],
    ],
  )
  t.equal(
    evaluateSegment({ ...segment, matchType: 'ANY_MATCH_TYPE' }, '', { pa: 'a' })?.member,
    true,
  )
  t.equal(evaluateSegment({ ...segment, constraints: [] }, '', {})?.member, true)
})
