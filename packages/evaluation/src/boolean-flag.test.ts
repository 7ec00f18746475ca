import t from 'tap'
import { evaluateBoolean } from './boolean-flag.ts'
import { type Context, toEntity } from './entity.ts'
import { FlagSet } from './flag-set.ts'
import type { FlagRecord } from './records.ts'
import {
  booleanFlag,
  change,
  inAll,
  inAny,
  inOne,
  segmentOf,
  segmentRollout,
  threshold,
} from './testing/records.ts'

const segments = [
  segmentOf('german', 'country', 'DE'),
  segmentOf('pro', 'plan', 'pro'),
  segmentOf('staff', 'staff', 'yes'),
]

function evaluate(record: FlagRecord, entityId: string, context: Context = {}) {
  const set = new FlagSet()
  set.apply(change({ flags: [record], segments }))
  const flag = set.get(record.key)
  if (flag?.type !== 'BOOLEAN_FLAG_TYPE') throw new Error('not a boolean flag')
  return evaluateBoolean(flag, toEntity(entityId, context))
}

const matched = { reason: 'MATCH_EVALUATION_REASON' }
const byDefault = { reason: 'DEFAULT_EVALUATION_REASON', segmentKeys: [] }

t.test('without rollouts a flag is what its state says, never disabled', async (t) => {
  for (const enabled of [false, true]) {
    t.strictSame(evaluate(booleanFlag('f', [], enabled), 'alice'), { enabled, ...byDefault })
  }
})

t.test('thresholds let in whom the worked examples say', async (t) => {
  const examples: readonly (readonly [number, string, boolean])[] = [
    [50, 'user-5', true],
    [50, 'user-200', false],
    [1, 'user-28', true],
    [1, 'user-1', false],
    [0.5, 'user-28', true],
    [0.335, 'user-28', false],
    [0.336, 'user-28', true],
    [99, 'user-18', false],
    [100, 'user-18', true],
    [0, 'user-28', false],
  ]
  for (const [percentage, entityId, enabled] of examples) {
    const answer = evaluate(booleanFlag('boundary', [threshold(1, percentage)]), entityId)
    const expected = enabled ? { enabled, ...matched, segmentKeys: [] } : { enabled, ...byDefault }
    t.strictSame(answer, expected, `${entityId} at ${percentage} %`)
  }
})

t.test('a threshold may turn a flag off', async (t) => {
  const flag = booleanFlag('boolean_disabled', [threshold(1, 50, false)], true)
  t.strictSame(evaluate(flag, 'fixed'), { enabled: false, ...matched, segmentKeys: [] })
  t.strictSame(evaluate(flag, 'beover50'), { enabled: true, ...byDefault })
})

t.test('the lowest rank that applies decides', async (t) => {
  const rollouts = [
    threshold(3, 100),
    segmentRollout(1, inOne('german'), false),
    segmentRollout(2, inOne('pro')),
  ]
  const flag = booleanFlag('f', rollouts)
  t.match(evaluate(flag, 'a', { country: 'DE', plan: 'pro' }), {
    enabled: false,
    segmentKeys: ['german'],
  })
  t.match(evaluate(flag, 'a', { plan: 'pro' }), { enabled: true, segmentKeys: ['pro'] })
  t.match(evaluate(flag, 'a'), { enabled: true, ...matched, segmentKeys: [] })
})

t.test('rollouts of one rank keep their order', async (t) => {
  const flag = booleanFlag('f', [threshold(1, 100, true), threshold(1, 100, false)])
  t.equal(evaluate(flag, 'a').enabled, true)
})

t.test('OR answers the segments that matched, in the order of the rollout', async (t) => {
  const flag = booleanFlag('f', [segmentRollout(1, inAny('staff', 'pro', 'german'))])
  t.strictSame(evaluate(flag, 'a', { country: 'DE', staff: 'yes' }), {
    enabled: true,
    ...matched,
    segmentKeys: ['staff', 'german'],
  })
  t.strictSame(evaluate(flag, 'a', { plan: 'pro' }).segmentKeys, ['pro'])
  t.strictSame(evaluate(flag, 'a'), { enabled: false, ...byDefault })
})

t.test('AND answers all segments or none', async (t) => {
  const flag = booleanFlag('f', [segmentRollout(1, inAll('pro', 'german'))])
  t.strictSame(evaluate(flag, 'a', { country: 'DE', plan: 'pro' }).segmentKeys, ['pro', 'german'])
  t.strictSame(evaluate(flag, 'a', { country: 'DE' }), { enabled: false, ...byDefault })
})

t.test('a list of one segment is like that segment', async (t) => {
  for (const segments of [inAny('pro'), inAll('pro')]) {
    const flag = booleanFlag('f', [segmentRollout(1, segments)])
    t.strictSame(evaluate(flag, 'a', { plan: 'pro' }).segmentKeys, ['pro'])
  }
})

t.test('a rollout with a segment that does not exist never applies', async (t) => {
  for (const segments of [inOne('none'), inAny('none', 'pro'), inAny('pro', 'none')]) {
    const flag = booleanFlag('f', [segmentRollout(1, segments)])
    t.strictSame(evaluate(flag, 'a', { plan: 'pro' }), { enabled: false, ...byDefault })
  }
  const both = booleanFlag('f', [segmentRollout(1, inAll('pro', 'none'))])
  t.strictSame(evaluate(both, 'a', { plan: 'pro' }), { enabled: false, ...byDefault })
})

t.test('a rollout that asks for nothing never applies', async (t) => {
  const rollouts = [{ rank: 1 }, segmentRollout(2, inOne('')), segmentRollout(3, inAll())]
  t.strictSame(evaluate(booleanFlag('f', rollouts), 'a'), { enabled: false, ...byDefault })
})

t.test('an answer cannot be used to change later ones', async (t) => {
  const flag = booleanFlag('f', [segmentRollout(1, inOne('pro'))])
  const { segmentKeys } = evaluate(flag, 'a', { plan: 'pro' })
  t.throws(() => Object.assign(segmentKeys, ['other']), TypeError)
})
