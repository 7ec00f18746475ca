import fc from 'fast-check'
import t from 'tap'
import { evaluateBoolean } from './boolean-flag.ts'
import type { Context } from './context.ts'
import { toEntity } from './entity.ts'
import { FlagSet } from './flag-set.ts'
import type { SegmentRecord } from './records.ts'
import {
  booleanFlag,
  change,
  inAny,
  inOne,
  rule,
  segment,
  segmentOf,
  segmentRollout,
  threshold,
  variantFlag,
} from './testing/records.ts'

function isOn(set: FlagSet, key: string, context: Context = {}): boolean | undefined {
  const flag = set.get(key)
  return flag?.type === 'BOOLEAN_FLAG_TYPE'
    ? evaluateBoolean(flag, toEntity('', context)).enabled
    : undefined
}

function keys(set: FlagSet): string[] {
  return [...set.flags()].map(({ key }) => key)
}

const flag = booleanFlag('checkout', [segmentRollout(1, inOne('pro'))])
const pro = segmentOf('pro', 'plan', 'pro')

t.test('flags are found by key, with their type', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag, variantFlag('colour')] }))
  t.equal(set.get('checkout')?.type, 'BOOLEAN_FLAG_TYPE')
  t.equal(set.get('colour')?.type, 'VARIANT_FLAG_TYPE')
  t.equal(set.get('other'), undefined)
  t.equal(set.get('constructor'), undefined)
  t.equal(set.size, 2)
})

t.test('a flag may come before its segment, in the same change or an earlier one', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag] }))
  t.equal(isOn(set, 'checkout', { plan: 'pro' }), false)
  set.apply(change({ segments: [pro] }))
  t.equal(isOn(set, 'checkout', { plan: 'pro' }), true)
})

t.test('a segment that changes, goes and comes back is seen without its flags', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag], segments: [pro] }))
  const compiled = set.get('checkout')
  set.apply(change({ segments: [segmentOf('pro', 'plan', 'team')] }))
  t.equal(isOn(set, 'checkout', { plan: 'pro' }), false)
  t.equal(isOn(set, 'checkout', { plan: 'team' }), true)
  set.apply(change({ deletedSegmentKeys: ['pro'] }))
  t.equal(isOn(set, 'checkout', { plan: 'team' }), false)
  set.apply(change({ segments: [segment('pro')] }))
  t.equal(isOn(set, 'checkout'), true)
  t.equal(set.get('checkout'), compiled)
})

t.test('what is both deleted and there, is there', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag], segments: [pro] }))
  set.apply({
    flags: [flag],
    segments: [segment('pro')],
    deletedFlagKeys: ['checkout'],
    deletedSegmentKeys: ['pro'],
  })
  t.equal(isOn(set, 'checkout'), true)
})

t.test('a flag may change its type', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag] }))
  set.apply(change({ flags: [variantFlag('checkout')] }))
  t.equal(set.get('checkout')?.type, 'VARIANT_FLAG_TYPE')
  t.equal(set.size, 1)
})

t.test('deleted flags are gone, and deleting what is not there does nothing', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag], deletedFlagKeys: ['other'] }))
  set.apply(change({ deletedFlagKeys: ['checkout', 'other'] }))
  t.equal(set.get('checkout'), undefined)
  t.equal(set.size, 0)
})

t.test('a cleared set is as good as new', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag], segments: [pro] }))
  set.clear()
  t.equal(set.size, 0)
  t.strictSame(keys(set), [])
  set.apply(change({ flags: [flag] }))
  t.equal(isOn(set, 'checkout', { plan: 'pro' }), false, 'its segments are gone')
})

t.test('flags are listed by time of creation', async (t) => {
  const createdAt = (seconds: number, nanos = 0) => ({ createdAt: { seconds, nanos } })
  const set = new FlagSet()
  set.apply(
    change({
      flags: [
        { ...booleanFlag('third'), ...createdAt(20) },
        { ...booleanFlag('second'), ...createdAt(10, 2000) },
        { ...booleanFlag('first'), ...createdAt(10, 1000) },
      ],
    }),
  )
  t.strictSame(keys(set), ['first', 'second', 'third'])
  set.apply(change({ flags: [{ ...booleanFlag('first', [], true), ...createdAt(10, 1000) }] }))
  t.strictSame(keys(set), ['first', 'second', 'third'], 'a change does not move a flag')
  set.apply(change({ flags: [{ ...booleanFlag('first'), ...createdAt(30) }] }))
  t.strictSame(keys(set), ['second', 'third', 'first'], 'a flag made anew does')
})

t.test('flags created at one time, or at no known time, keep the order they came in', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [booleanFlag('b'), booleanFlag('c'), booleanFlag('a')] }))
  set.apply(change({ flags: [booleanFlag('b', [], true)] }))
  t.strictSame(keys(set), ['b', 'c', 'a'])
  set.apply(change({ flags: [booleanFlag('b')], deletedFlagKeys: ['b'] }))
  t.strictSame(keys(set), ['c', 'a', 'b'])
})

t.test('the users of a segment are found, once each and whether or not it exists', async (t) => {
  const set = new FlagSet()
  const flags = [
    booleanFlag('a', [segmentRollout(1, inOne('pro')), segmentRollout(2, inAny('pro', 'staff'))]),
    variantFlag('b', [rule(1, inOne('staff'), [['a', 100]])]),
    booleanFlag('c', [threshold(1, 50)]),
  ]
  set.apply(change({ flags, segments: [pro] }))
  t.strictSame(set.usersOf(['pro']), ['a'])
  t.strictSame(set.usersOf(['pro', 'staff']).sort(), ['a', 'b'])
  t.strictSame(set.usersOf(new Set(['none'])), [])
  t.strictSame(set.usersOf([]), [])
  set.apply(change({ flags: [booleanFlag('a')], deletedSegmentKeys: ['pro'] }))
  t.strictSame(set.usersOf(['pro', 'staff']), ['b'], 'a flag that uses it no more is no user')
})

t.test('any way of changes leads to the same set as its end alone', async () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const segmentRecord = key.map((name): SegmentRecord => segmentOf(name, 'plan', name))
  const flagRecord = fc
    .tuple(key, key, key)
    .map(([name, x, y]) => booleanFlag(name, [segmentRollout(1, inAny(x, y))]))
  const step = fc.record({
    flags: fc.array(flagRecord, { maxLength: 2 }),
    segments: fc.array(segmentRecord, { maxLength: 2 }),
    deletedFlagKeys: fc.array(key, { maxLength: 2 }),
    deletedSegmentKeys: fc.array(key, { maxLength: 2 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
      const flags = new Map()
      const segments = new Map()
      const grown = new FlagSet()
      for (const next of steps) {
        grown.apply(next)
        for (const name of next.deletedFlagKeys) flags.delete(name)
        for (const name of next.deletedSegmentKeys) segments.delete(name)
        for (const record of next.flags) flags.set(record.key, record)
        for (const record of next.segments) segments.set(record.key, record)
      }
      const made = new FlagSet()
      made.apply(change({ flags: [...flags.values()], segments: [...segments.values()] }))
      const answers = (set: FlagSet) =>
        ['a', 'b', 'c'].flatMap((name) => ['a', 'b', 'c'].map((plan) => isOn(set, name, { plan })))
      return (
        grown.size === made.size &&
        JSON.stringify(keys(grown)) === JSON.stringify(keys(made)) &&
        JSON.stringify(answers(grown)) === JSON.stringify(answers(made))
      )
    }),
  )
})

t.test('no record makes compiling or evaluating throw', async () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('eq', 'isoneof', '["a"]', '2024-01-02', '1'))
  const types = ['STRING', 'NUMBER', 'BOOLEAN', 'DATETIME', 'ENTITY_ID', 'UNKNOWN']
  const constraint = fc.record({
    type: fc.oneof(fc.constantFrom(...types.map((type) => `${type}_COMPARISON_TYPE`)), text),
    property: fc.constantFrom('a', '__proto__', 'constructor'),
    operator: text,
    value: text,
  })
  const context = fc.dictionary(fc.constantFrom('a', '__proto__', 'constructor'), text)
  fc.assert(
    fc.property(fc.array(constraint), fc.string(), context, (constraints, matchType, values) => {
      const set = new FlagSet()
      set.apply(change({ flags: [flag], segments: [segment('pro', constraints, matchType)] }))
      return typeof isOn(set, 'checkout', values) === 'boolean'
    }),
  )
})

t.test('flags that are compiled ahead', async (t) => {
  const set = new FlagSet()
  const ahead = (plan: string) => set.compile(booleanFlag('f', [segmentRollout(1, inOne(plan))]))
  set.apply(change({ flags: [booleanFlag('f')], segments: [pro] }))
  const compiled = [ahead('pro')]

  await t.test('are not there before their change', async (t) => {
    t.equal(isOn(set, 'f', { plan: 'pro' }), false)
    set.apply({ ...change({}), compiled })
    t.equal(isOn(set, 'f', { plan: 'pro' }), true)
  })

  await t.test('use the segments of their change, also of keys that come and go', async (t) => {
    const next = [ahead('staff')]
    set.apply(change({ segments: [segmentOf('staff', 'plan', 'free')] }))
    set.apply(change({ deletedSegmentKeys: ['staff'] }))
    const segments = [segmentOf('staff', 'plan', 'pro')]
    set.apply({ ...change({ segments }), compiled: next })
    t.equal(isOn(set, 'f', { plan: 'pro' }), true)
    t.strictSame(set.usersOf(['staff']), ['f'])
  })

  await t.test('leave nothing when they are discarded', async (t) => {
    set.discard([ahead('none')])
    set.apply(change({ flags: [booleanFlag('f')] }))
    t.strictSame(set.usersOf(['none', 'staff']), [])
  })
})
