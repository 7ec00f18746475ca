import t from 'tap'
import { type Context, toEntity } from './entity.ts'
import { FlagSet } from './flag-set.ts'
import type { FlagRecord } from './records.ts'
import {
  change,
  inAll,
  inAny,
  inOne,
  rule,
  segment,
  segmentOf,
  variantFlag,
} from './testing/records.ts'
import { evaluateVariant } from './variant-flag.ts'

const segments = [segment('all'), segmentOf('pro', 'plan', 'pro'), segment('others')]

function evaluate(record: FlagRecord, entityId: string, context: Context = {}) {
  const set = new FlagSet()
  set.apply(change({ flags: [record], segments }))
  const flag = set.get(record.key)
  if (flag?.type !== 'VARIANT_FLAG_TYPE') throw new Error('not a variant flag')
  return evaluateVariant(flag, toEntity(entityId, context))
}

function chosen(key: string, rollouts: readonly (readonly [string, number])[], entityId: string) {
  return evaluate(variantFlag(key, [rule(1, inOne('all'), rollouts)]), entityId).variantKey
}

t.test('thirds leave no entity out', async (t) => {
  const thirds = [
    ['a', 33.33],
    ['b', 33.33],
    ['c', 33.34],
  ] as const
  t.equal(chosen('boundary', thirds, 'user-827'), 'a')
  t.equal(chosen('boundary', thirds, 'user-107'), 'b')
  t.equal(chosen('boundary', thirds, 'user-665'), 'c')
  t.equal(chosen('boundary', thirds, 'user-1170'), 'c')
})

t.test('the smallest distributions serve their share', async (t) => {
  t.equal(chosen('boundary', [['a', 0.1]], 'user-2115'), 'a')
  t.equal(chosen('boundary', [['a', 0.1]], 'user-1241'), '')
  t.equal(chosen('boundary', [['a', 0.05]], 'user-2115'), 'a')
  t.equal(chosen('boundary', [['a', 0.028]], 'user-2115'), '')
  t.equal(chosen('boundary', [['a', 0.0281]], 'user-2115'), 'a')
})

t.test('of distributions that sum to more than 100 percent, the earlier ones win', async (t) => {
  t.equal(
    chosen(
      'boundary',
      [
        ['a', 80],
        ['b', 80],
        ['c', 80],
      ],
      'user-1170',
    ),
    'b',
  )
})

t.test('a distribution of nothing is none', async (t) => {
  t.equal(
    chosen(
      'boundary',
      [
        ['a', 0],
        ['b', -5],
        ['c', 100],
      ],
      'user-2115',
    ),
    'c',
  )
  t.equal(
    chosen(
      'boundary',
      [
        ['a', Number.NaN],
        ['b', 100],
      ],
      'user-2115',
    ),
    'b',
  )
})

const key = 'boundary'
const pro = { plan: 'pro' }
const preset = { variantKey: 'c', variantAttachment: '{"is":"c"}' }
const nothing = { variantKey: '', variantAttachment: '' }
const a = { variantKey: 'a', variantAttachment: '{"is":"a"}' }
const unknown = { match: false, reason: 'UNKNOWN_EVALUATION_REASON' }
const byDefault = { match: false, reason: 'DEFAULT_EVALUATION_REASON' }
const disabled = { match: false, reason: 'FLAG_DISABLED_EVALUATION_REASON' }
const matched = { match: true, reason: 'MATCH_EVALUATION_REASON' }

t.test('the outcomes of the matrix', async (t) => {
  const none = { segmentKeys: [] }
  const filled = { segmentKeys: ['pro'] }

  await t.test('disabled', async (t) => {
    const rules = [rule(1, inOne('all'), [['a', 100]])]
    const off = { ...variantFlag(key, rules), enabled: false }
    const offWithDefault = { ...variantFlag(key, rules, 'c'), enabled: false }
    t.strictSame(evaluate(off, 'x'), { ...disabled, ...nothing, ...none })
    t.strictSame(evaluate(offWithDefault, 'x'), { ...disabled, ...preset, ...none })
  })

  await t.test('no rules', async (t) => {
    t.strictSame(evaluate(variantFlag(key), 'x'), { ...unknown, ...nothing, ...none })
    t.strictSame(evaluate(variantFlag(key, [], 'c'), 'x'), { ...byDefault, ...preset, ...none })
  })

  await t.test('no rule matched', async (t) => {
    const rules = [rule(1, inOne('pro'), [['a', 100]])]
    t.strictSame(evaluate(variantFlag(key, rules), 'x'), { ...unknown, ...nothing, ...none })
    t.strictSame(evaluate(variantFlag(key, rules, 'c'), 'x'), { ...byDefault, ...preset, ...none })
  })

  await t.test('a rule without a positive distribution', async (t) => {
    for (const rules of [[rule(1, inOne('pro'), [])], [rule(1, inOne('pro'), [['a', 0]])]]) {
      const answer = evaluate(variantFlag(key, rules), 'x', pro)
      t.strictSame(answer, { ...matched, ...nothing, ...filled })
      const answerWithDefault = evaluate(variantFlag(key, rules, 'c'), 'x', pro)
      t.strictSame(answerWithDefault, { ...matched, ...preset, ...filled })
    }
  })

  await t.test('beyond all distributions, which ends the search', async (t) => {
    const rules = [rule(1, inOne('pro'), [['a', 0.00001]]), rule(2, inOne('all'), [['b', 100]])]
    const answer = evaluate(variantFlag(key, rules), 'user-1170', pro)
    t.strictSame(answer, { ...unknown, ...nothing, ...filled })
    const answerWithDefault = evaluate(variantFlag(key, rules, 'c'), 'user-1170', pro)
    t.strictSame(answerWithDefault, { ...byDefault, ...preset, ...filled })
  })

  await t.test('a distribution chosen', async (t) => {
    const rules = [rule(1, inOne('pro'), [['a', 100]])]
    for (const flag of [variantFlag(key, rules), variantFlag(key, rules, 'c')]) {
      t.strictSame(evaluate(flag, 'x', pro), { ...matched, ...a, ...filled })
    }
  })
})

t.test('the lowest rank that matches decides, and one rank keeps its order', async (t) => {
  const rules = [
    rule(2, inOne('all'), [['b', 100]]),
    rule(1, inOne('pro'), [['a', 100]]),
    rule(2, inOne('all'), [['c', 100]]),
  ]
  t.equal(evaluate(variantFlag(key, rules), 'x', pro).variantKey, 'a')
  t.equal(evaluate(variantFlag(key, rules), 'x').variantKey, 'b')
})

t.test('the segments that matched are answered in the order of the rule', async (t) => {
  const all = ['others', 'pro', 'all']
  const any = variantFlag(key, [rule(1, inAny(...all), [['a', 100]])])
  const every = variantFlag(key, [rule(1, inAll(...all), [['a', 100]])])
  t.strictSame(evaluate(any, 'x').segmentKeys, ['others', 'all'])
  t.strictSame(evaluate(any, 'x', pro).segmentKeys, all)
  t.strictSame(evaluate(every, 'x', pro).segmentKeys, all)
  t.strictSame(evaluate(every, 'x'), { ...unknown, ...nothing, segmentKeys: [] })
})

t.test('a rule with a segment that does not exist, or with none, is passed over', async (t) => {
  const rules = [
    rule(1, inAny('all', 'none'), [['a', 100]]),
    rule(2, inAll(), [['a', 100]]),
    rule(3, inOne('all'), [['b', 100]]),
  ]
  t.equal(evaluate(variantFlag(key, rules), 'x').variantKey, 'b')
})

t.test('the places of a variant that does not exist stay empty', async (t) => {
  t.equal(
    chosen(
      key,
      [
        ['gone', 50],
        ['b', 50],
      ],
      'user-133',
    ),
    '',
  )
  t.equal(
    chosen(
      key,
      [
        ['gone', 50],
        ['b', 50],
      ],
      'user-143',
    ),
    'b',
  )
})

t.test('a default variant that does not exist is none', async (t) => {
  t.strictSame(evaluate(variantFlag(key, [], 'gone'), 'x'), {
    ...unknown,
    ...nothing,
    segmentKeys: [],
  })
})
