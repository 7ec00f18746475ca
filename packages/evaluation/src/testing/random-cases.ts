import fc from 'fast-check'
import type { Context } from '../entity.ts'
import type { ConstraintRecord, FlagRecord, SegmentRecord, SegmentsRecord } from '../records.ts'

/** A flag with the segments of its namespace, and the entity that asks. */
export interface RandomCase {
  readonly flag: FlagRecord
  readonly segments: readonly SegmentRecord[]
  readonly entityId: string
  readonly context: Context
}

const properties = ['plan', 'age', 'since', 'constructor', '__proto__', 'größe']
/** Of each kind, and of none. */
const values = [
  ...['', ' ', 'pro', 'Pro ', 'prof', '🙂', '0', '10', '-1e3', '1_000', 'true', 'F', 'yes'],
  ...[
    '2026-01-31',
    '2026-01-31T12:00:00Z',
    '2026-13-01',
    '["pro","10"]',
    '[10,0]',
    '[true]',
    'null',
  ],
]
const operators = [
  ...['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'empty', 'notempty', 'present', 'notpresent', 'true'],
  ...['false', 'prefix', 'suffix', 'contains', 'notcontains', 'isoneof', 'isnotoneof', 'like', ''],
]
const types = [...['STRING', 'NUMBER', 'BOOLEAN', 'DATETIME', 'ENTITY_ID', 'UNKNOWN']].map(
  (kind) => `${kind}_COMPARISON_TYPE`,
)
const rollouts = [-1, 0, 0.00005, 0.336, 1, 25, 33.33, 50, 66.66, 99.9999, 100, 150]

const value = fc.constantFrom(...values)
const percentage = fc.constantFrom(...rollouts).map(Math.fround)
const rank = fc.integer({ min: 1, max: 4 })
const segmentKey = fc.constantFrom('one', 'two', 'three', 'all', 'missing')
const variantId = fc.constantFrom('id-a', 'id-b', 'id-c', 'id-gone')

const constraint: fc.Arbitrary<ConstraintRecord> = fc.record({
  type: fc.constantFrom(...types),
  property: fc.constantFrom(...properties),
  operator: fc.constantFrom(...operators),
  value,
})

const segments: fc.Arbitrary<SegmentRecord[]> = fc.tuple(
  ...['one', 'two', 'three', 'all'].map((key) =>
    fc.record({
      key: fc.constant(key),
      matchType: fc.constantFrom('ALL_MATCH_TYPE', 'ANY_MATCH_TYPE'),
      constraints: fc.array(constraint, { maxLength: key === 'all' ? 0 : 4 }),
    }),
  ),
)

const segmentOperator = fc.constantFrom('AND_SEGMENT_OPERATOR', 'OR_SEGMENT_OPERATOR')
const condition: fc.Arbitrary<SegmentsRecord> = fc.oneof(
  fc.record({ segmentKey, segmentKeys: fc.constant([]), segmentOperator }),
  fc.record({
    segmentKey: fc.constant(''),
    segmentKeys: fc.array(segmentKey, { maxLength: 3 }),
    segmentOperator,
  }),
)

const rule = fc.tuple(condition, rank, fc.array(fc.tuple(variantId, percentage), { maxLength: 4 }))
const rollout = fc.oneof(
  fc.record({
    rank,
    threshold: fc.record({ percentage, value: fc.boolean() }),
  }),
  fc.tuple(rank, condition, fc.boolean()).map(([rank, segments, value]) => ({
    rank,
    segment: { ...segments, value },
  })),
  fc.record({ rank }),
)

const flag: fc.Arbitrary<FlagRecord> = fc
  .record({
    key: fc.constantFrom('checkout', 'theme', 'größe'),
    type: fc.constantFrom('BOOLEAN_FLAG_TYPE', 'VARIANT_FLAG_TYPE'),
    enabled: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.boolean()),
    variantKeys: fc.subarray(['a', 'b', 'c']),
    defaultVariant: fc.option(fc.record({ id: variantId }), { nil: undefined }),
    rules: fc.array(rule, { maxLength: 4 }),
    rollouts: fc.array(rollout, { maxLength: 4 }),
  })
  .map(({ variantKeys, rules, ...others }) => ({
    ...others,
    variants: variantKeys.map((key) => ({ id: `id-${key}`, key, attachment: `{"is":"${key}"}` })),
    rules: rules.map(([segments, rank, distributions]) => ({
      ...segments,
      rank,
      distributions: distributions.map(([variantId, rollout]) => ({ variantId, rollout })),
    })),
  }))

const randomCase: fc.Arbitrary<RandomCase> = fc.record({
  flag,
  segments,
  entityId: fc.oneof(
    value,
    fc.nat().map((number) => `user-${number}`),
  ),
  context: fc
    .array(fc.tuple(fc.constantFrom(...properties), value), { maxLength: 5 })
    .map((entries) => Object.fromEntries(entries)),
})

/** Cases with all that may be wrong with them: what is missing, unreadable, empty or off. */
export function randomCases(count: number, seed: number): readonly RandomCase[] {
  return fc.sample(randomCase, { numRuns: count, seed })
}
