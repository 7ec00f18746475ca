import fc from 'fast-check'
import t from 'tap'
import { evaluateBoolean } from './boolean-flag.ts'
import { type Context, toEntity } from './entity.ts'
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

t.test('flags created at one time, or at no known time, are listed by key', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [booleanFlag('b'), booleanFlag('c'), booleanFlag('a')] }))
  t.equal(set.get('c')?.key, 'c')
  t.strictSame(keys(set), ['a', 'b', 'c'], 'whichever is compiled first')
  set.apply(change({ flags: [booleanFlag('b', [], true)] }))
  t.strictSame(keys(set), ['a', 'b', 'c'])
  set.apply(change({ flags: [booleanFlag('b')], deletedFlagKeys: ['b'] }))
  t.strictSame(keys(set), ['a', 'b', 'c'])
  set.apply(change({ flags: [booleanFlag('c', [], true)] }))
  set.apply(change({ deletedFlagKeys: ['c'] }))
  t.strictSame(keys(set), ['a', 'b'], 'also one that was replaced and not compiled since')
})

t.test('thousands of flags that come in any order are listed in theirs', async (t) => {
  const set = new FlagSet()
  const count = 6000
  const flags = Array.from({ length: count }, (_, i) => ({
    ...booleanFlag(`f-${i}`),
    createdAt: { seconds: (i * 7919) % count, nanos: 0 },
  }))
  set.apply(change({ flags }))
  const seconds = set.flags().map(({ createdAt }) => createdAt / 1e6)
  t.strictSame(seconds, [...Array(count).keys()])
})

t.test('the users of a segment are found, once each and whether or not it exists', async (t) => {
  const set = new FlagSet()
  const flags = [
    booleanFlag('a', [segmentRollout(1, inOne('pro')), segmentRollout(2, inAny('pro', 'staff'))]),
    variantFlag('b', [rule(1, inOne('staff'), [['a', 100]])]),
    booleanFlag('c', [threshold(1, 50)]),
  ]
  set.apply(change({ flags, segments: [pro] }))
  t.strictSame(set.usersOf(new Set(['pro'])), ['a'])
  t.strictSame(set.usersOf(new Set(['pro', 'staff'])).sort(), ['a', 'b'])
  t.strictSame(set.usersOf(new Set(['none'])), [])
  set.apply(change({ flags: [booleanFlag('a')], deletedSegmentKeys: ['pro'] }))
  t.strictSame(
    set.usersOf(new Set(['pro', 'staff'])),
    ['b'],
    'a flag that uses it no more is no user',
  )
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

t.test('flags that come as sources', async (t) => {
  /** A set of flags, created one after the other, and the keys of those whose records were made. */
  const sourcesOf = (...keys: string[]) => {
    const made: string[] = []
    const sources = keys.map((key, seconds) => ({
      key,
      toRecord() {
        made.push(key)
        const flag = booleanFlag(key, [segmentRollout(1, inOne(`segment-${key}`))])
        return { ...flag, createdAt: { seconds, nanos: 0 } }
      },
    }))
    const set = new FlagSet()
    set.apply(change({ flags: sources }))
    return { set, made, sources }
  }

  await t.test('count, and are compiled when they are needed, once', async (t) => {
    const { set, made, sources } = sourcesOf('a', 'b', 'c')
    t.equal(set.size, 3)
    t.strictSame(made, [])
    t.equal(set.get('b')?.source, sources[1])
    t.equal(set.get('b'), set.get('b'))
    t.equal(set.get('nope'), undefined)
    t.strictSame(made, ['b'])
    t.strictSame(keys(set), ['a', 'b', 'c'])
    t.strictSame(made, ['b', 'a', 'c'])
  })

  await t.test('are not compiled when they are replaced or deleted before', async (t) => {
    const { set, made } = sourcesOf('a', 'b', 'c')
    set.apply(change({ flags: [booleanFlag('a')], deletedFlagKeys: ['b'] }))
    t.equal(set.size, 2)
    t.equal(set.get('b'), undefined)
    t.strictSame(keys(set), ['a', 'c'])
    t.strictSame(made, ['c'])
  })

  await t.test('are found by their segments', async (t) => {
    const { set } = sourcesOf('a', 'b')
    t.strictSame(set.usersOf(new Set(['segment-b'])), ['b'])
  })

  await t.test('are compiled one by one, while the set changes', async (t) => {
    const { set, made } = sourcesOf('a', 'b', 'c', 'd', 'e')
    set.get('b')
    const steps = set.compileRest()
    steps.next()
    set.apply(change({ deletedFlagKeys: ['c'], flags: [booleanFlag('d')] }))
    t.equal([...steps].length, 2)
    t.strictSame(made, ['b', 'a', 'e'])
    t.strictSame([...set.compileRest()], [])
  })
})

t.test('segments that come and go by the thousand leave the flags that use them', async (t) => {
  const set = new FlagSet()
  set.apply(change({ flags: [flag], segments: [pro] }))
  t.equal(isOn(set, 'checkout', { plan: 'pro' }), true)
  for (let i = 0; i < 3; i++) {
    const passing = Array.from({ length: 600 }, (_, n) => `s-${i}-${n}`)
    set.apply(change({ segments: passing.map((key) => segment(key)) }))
    set.apply(change({ deletedSegmentKeys: ['pro', ...passing] }))
    t.equal(isOn(set, 'checkout', { plan: 'pro' }), false)
    set.apply(change({ segments: [pro] }))
    t.equal(isOn(set, 'checkout', { plan: 'pro' }), true)
  }
})
