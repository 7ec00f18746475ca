import t from 'tap'
import { compareSchema } from './schema-version.ts'

const known = ['0001_items', '0002_orders']

const cases: {
  readonly name: string
  readonly applied: readonly string[]
  readonly version?: string
  readonly state: object | RegExp
}[] = [
  { name: 'the same', applied: known, state: { missing: [], newer: [] } },
  { name: 'an empty database', applied: [], state: { missing: known, newer: [] } },
  { name: 'an older one', applied: ['0001_items'], state: { missing: ['0002_orders'], newer: [] } },
  {
    name: 'a newer one, to which something was added',
    applied: [...known, '0003_notes'],
    state: { missing: [], newer: ['0003_notes'] },
  },
  {
    name: 'one on which the version before still runs',
    applied: [...known, '0003_notes', '0004_drop_state_since_1_4'],
    version: '1.4.0',
    state: { missing: [], newer: ['0003_notes', '0004_drop_state_since_1_4'] },
  },
  {
    name: 'one on which earlier versions do not',
    applied: [...known, '0003_drop_state_since_1_4'],
    version: '1.3.9',
    state:
      /^Database is at version 3, this build knows 2 and does not run on 0003_drop_state_since_1_4\. Upgrade svc, or/,
  },
  {
    name: 'one of a later major version',
    applied: [...known, '0003_drop_state_since_2_0'],
    version: '1.40.0',
    state: /^Database is at version 3, /,
  },
  {
    name: 'one of an earlier major version',
    applied: [...known, '0003_drop_state_since_1_40'],
    version: '2.0.0',
    state: { missing: [], newer: ['0003_drop_state_since_1_40'] },
  },
  {
    name: 'one of another history',
    applied: ['0001_things', '0002_orders'],
    state: /^Database has the migration 0001_things, which this build does not know\./,
  },
  {
    name: 'a newer one that lacks a migration',
    applied: ['0001_items', '0003_notes'],
    state: /^Database has the migration 0003_notes, which/,
  },
  {
    name: 'another migration of the same number',
    applied: ['0001_items', '0002_orders', '0002_others'],
    state: /^Database has the migration 0002_others, which/,
  },
]

t.test('a build runs on', async (t) => {
  for (const { name, applied, version = '1.2.0', state } of cases) {
    if (state instanceof RegExp) {
      const refused = { code: 'failed_precondition', reason: 'database_too_new', message: state }
      t.throws(() => compareSchema(applied, known, version), refused, name)
    } else t.strictSame(compareSchema(applied, known, version), state, name)
  }
})
