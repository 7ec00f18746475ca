import t from 'tap'
import { type Context, toEntity } from '../entity.ts'
import { explainConstraint } from './constraint.ts'
import type { Cause } from './explanation.ts'

type Row = readonly [
  kind: string,
  operator: string,
  value: string,
  actual: string | undefined,
  holds: boolean,
  cause: Cause,
]

const rows: readonly Row[] = [
  ['STRING', 'eq', 'pro', 'pro', true, 'COMPARED_CAUSE'],
  ['STRING', 'eq', 'pro', '', false, 'COMPARED_CAUSE'],
  ['STRING', 'neq', 'pro', undefined, false, 'ABSENT_CAUSE'],
  ['STRING', 'empty', '', undefined, true, 'ABSENT_CAUSE'],
  ['STRING', 'isoneof', '["pro"]', 'pro', true, 'COMPARED_CAUSE'],
  ['STRING', 'isoneof', '[1]', 'pro', false, 'UNREADABLE_VALUE_CAUSE'],
  ['STRING', 'isoneof', 'pro', undefined, false, 'UNREADABLE_VALUE_CAUSE'],
  ['STRING', 'gt', '1', '2', false, 'UNKNOWN_OPERATOR_CAUSE'],
  ['ENTITY_ID', 'prefix', 'user', 'user-42', true, 'COMPARED_CAUSE'],
  ['NUMBER', 'gte', '18', '21', true, 'COMPARED_CAUSE'],
  ['NUMBER', 'neq', '18', 'x', false, 'UNREADABLE_ACTUAL_CAUSE'],
  ['NUMBER', 'gte', 'x', '21', false, 'UNREADABLE_VALUE_CAUSE'],
  ['NUMBER', 'gte', '18', undefined, false, 'ABSENT_CAUSE'],
  ['NUMBER', 'isnotoneof', '[1]', 'x', false, 'UNREADABLE_ACTUAL_CAUSE'],
  ['NUMBER', 'present', '', 'x', true, 'COMPARED_CAUSE'],
  ['NUMBER', 'notpresent', '', undefined, true, 'ABSENT_CAUSE'],
  ['NUMBER', 'contains', '1', '1', false, 'UNKNOWN_OPERATOR_CAUSE'],
  ['BOOLEAN', 'true', '', 'T', true, 'COMPARED_CAUSE'],
  ['BOOLEAN', 'false', '', 'T', false, 'COMPARED_CAUSE'],
  ['BOOLEAN', 'true', '', 'yes', false, 'UNREADABLE_ACTUAL_CAUSE'],
  ['BOOLEAN', 'present', '', 'yes', true, 'COMPARED_CAUSE'],
  ['BOOLEAN', 'eq', 'true', 'true', false, 'UNKNOWN_OPERATOR_CAUSE'],
  ['DATETIME', 'lt', '2026-02-01', '2026-01-31', true, 'COMPARED_CAUSE'],
  ['DATETIME', 'lt', '2026-02-30', '2026-01-31', false, 'UNREADABLE_VALUE_CAUSE'],
  ['DATETIME', 'lt', '2026-02-01', 'tomorrow', false, 'UNREADABLE_ACTUAL_CAUSE'],
  ['DATETIME', 'present', '', 'tomorrow', true, 'COMPARED_CAUSE'],
  ['DATETIME', 'isoneof', '["2026-02-01"]', '2026-02-01', false, 'UNKNOWN_OPERATOR_CAUSE'],
  ['UNKNOWN', 'eq', 'pro', 'pro', false, 'UNKNOWN_OPERATOR_CAUSE'],
]

for (const [kind, operator, value, actual, holds, cause] of rows) {
  const type = `${kind}_COMPARISON_TYPE`
  t.test(`${kind} ${actual} ${operator} ${value}: ${holds}, ${cause}`, async (t) => {
    const context: Context = actual === undefined || kind === 'ENTITY_ID' ? {} : { plan: actual }
    const entity = toEntity(kind === 'ENTITY_ID' ? (actual ?? '') : 'user-1', context)
    t.strictSame(explainConstraint({ type, property: 'plan', operator, value }, entity), {
      ...{ type, property: 'plan', operator, value },
      ...(actual !== undefined && { actual }),
      ...{ holds, decisive: false, cause },
    })
  })
}

t.test('what objects inherit is absent', async (t) => {
  const record = {
    type: 'STRING_COMPARISON_TYPE',
    property: 'constructor',
    operator: 'notempty',
    value: '',
  }
  const { cause, actual } = explainConstraint(record, toEntity('', {}))
  t.strictSame([cause, actual], ['ABSENT_CAUSE', undefined])
})

t.test('long texts are shortened, compared in full, and no character is cut in two', async (t) => {
  const texts = [
    ['x'.repeat(256), 'x'.repeat(256)],
    ['x'.repeat(257), `${'x'.repeat(256)}…`],
    [`${'x'.repeat(255)}🙂y`, `${'x'.repeat(255)}…`],
    [`${'x'.repeat(254)}🙂y`, `${'x'.repeat(254)}🙂…`],
  ] as const
  for (const [value, shown] of texts) {
    const record = { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value }
    const found = explainConstraint(record, toEntity('', { plan: value }))
    t.match(found, { value: shown, actual: shown, holds: true })
    t.equal(explainConstraint(record, toEntity('', { plan: `${value}z` })).holds, false)
  }
})
