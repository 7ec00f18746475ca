import { evaluateBoolean, toEntity } from '@svc/evaluation'
import fc from 'fast-check'
import t from 'tap'
import { NamespaceCopy } from './copy.ts'
import { RecordsError } from './records.ts'
import {
  booleanFlag,
  type Content,
  countrySegment,
  recordsChange,
  variantFlag,
} from './testing/records-text.ts'

const german = toEntity('', { country: 'DE' })

/** What a copy answers to each flag, and to `other`. */
function answersOf(copy: NamespaceCopy, keys: readonly string[]) {
  return keys.map((key) => {
    const flag = copy.flags.get(key)
    return flag?.type === 'BOOLEAN_FLAG_TYPE' ? evaluateBoolean(flag, german).enabled : undefined
  })
}

async function apply(copy: NamespaceCopy, content: Content): Promise<string[]> {
  return (await copy.apply(recordsChange(content), true, () => {})).sort()
}

const keys = ['a', 'b', 'c', 'd']

t.test('a change is seen whole, and the flags that it concerns are known', async (t) => {
  const copy = new NamespaceCopy()
  const whole = {
    revision: 1,
    segments: [countrySegment('x', 'DE'), countrySegment('x,y', 'FR')],
    flags: [booleanFlag('a', true), booleanFlag('b', false, 'x'), booleanFlag('c', false, 'x,y')],
  }
  t.strictSame(await apply(copy, whole), ['a', 'b', 'c'])
  t.strictSame(answersOf(copy, keys), [true, true, false, undefined])

  const segments = [countrySegment('x', 'IT'), countrySegment('x,y', 'DE')]
  const change = { revision: 2, fromRevision: 1, segments, flags: [booleanFlag('d', true)] }
  t.strictSame(await apply(copy, change), ['b', 'c', 'd'])
  t.strictSame(answersOf(copy, keys), [true, false, true, true])

  const same = { ...change, revision: 3, flags: [booleanFlag('a', true)] }
  t.strictSame(await apply(copy, same), [], 'what is as it was has not changed')

  const gone = { revision: 4, fromRevision: 3, deletedFlagKeys: ['a', 'no'] }
  t.strictSame(await apply(copy, { ...gone, deletedSegmentKeys: ['x'] }), ['a', 'b'])
  t.strictSame(answersOf(copy, keys), [undefined, false, true, true])
  t.strictSame(
    copy.lines().segments.map(({ key }) => key),
    ['x,y'],
  )

  const anew = { revision: 5, fromRevision: 4, deletedFlagKeys: ['d'] }
  t.strictSame(await apply(copy, { ...anew, flags: [booleanFlag('d', false)] }), ['d'])
  t.strictSame(await apply(copy, { revision: 6, flags: [booleanFlag('b', false)] }), [
    'b',
    'c',
    'd',
  ])
  t.strictSame(answersOf(copy, keys), [undefined, false, undefined, undefined])
})

t.test('a name in an attachment is no segment of the flag', async (t) => {
  const copy = new NamespaceCopy()
  const attachment = '{"segmentKeys":["x"]}'
  const flags = [variantFlag('v', 'x', attachment), booleanFlag('b', false, 'x')]
  await apply(copy, { revision: 1, segments: [countrySegment('x', 'DE')], flags })
  const change = { revision: 2, fromRevision: 1, segments: [countrySegment('x', 'FR')] }
  t.strictSame(await apply(copy, change), ['b'])
})

t.test('a change that cannot be read leaves all as it was', async (t) => {
  const copy = new NamespaceCopy()
  await apply(copy, { revision: 1, flags: [booleanFlag('a', true)] })
  const change = recordsChange({ revision: 2, fromRevision: 1, flags: [booleanFlag('a', false)] })
  const line = {
    key: 'x',
    text: '',
    toRecord() {
      throw new RecordsError('no segment')
    },
  }
  for (const flags of [change.flags, Array.from({ length: 300 }, () => change.flags).flat()]) {
    const broken = { ...change, flags, segments: [line] }
    await t.rejects(
      copy.apply(broken, true, () => {}),
      { name: 'RecordsError' },
    )
    t.strictSame(answersOf(copy, ['a']), [true])
    t.equal(copy.segmentLine('x'), undefined)
  }
})

t.test('a large change is taken in between other turns, and seen whole in one', async (t) => {
  const copy = new NamespaceCopy()
  const many = (enabled: boolean) =>
    Array.from({ length: 50_000 }, (_, i) => booleanFlag(`f-${i}`, enabled, 'x'))
  const segments = [countrySegment('x', 'FR')]
  let shownAt = 0
  let turns = 0
  const timer = setInterval(() => turns++)
  t.teardown(() => clearInterval(timer))
  const seen = new Set<string>()
  const look = setInterval(() => {
    seen.add(String(answersOf(copy, ['f-0', 'f-25000', 'f-49999'])))
  })
  t.teardown(() => clearInterval(look))
  const first = recordsChange({ revision: 1, segments, flags: many(true) })
  await copy.apply(first, false, () => {
    shownAt = turns
  })
  t.ok(shownAt > 2, `${shownAt} turns`)
  const second = recordsChange({ revision: 2, fromRevision: 1, flags: many(false) })
  const begin = turns
  t.equal((await copy.apply(second, true, () => {})).length, 50_000)
  t.ok(turns - begin > 2, `${turns - begin} turns`)
  await new Promise((resolve) => setTimeout(resolve, 10))
  seen.delete(',,')
  t.strictSame([...seen], ['true,true,true', 'false,false,false'])
})

t.test('any changes, small or large, come to the same as the whole', async () => {
  const key = fc.constantFrom(...'abcdefgh')
  const flags = fc.uniqueArray(fc.tuple(key, fc.boolean(), fc.subarray(['x', 'y'])), {
    selector: ([key]) => key,
  })
  const segments = fc.uniqueArray(
    fc.tuple(fc.constantFrom('x', 'y'), fc.constantFrom('DE', 'FR')),
    {
      selector: ([key]) => key,
    },
  )
  const change = fc.record({
    flags,
    segments,
    deletedFlagKeys: fc.uniqueArray(key),
    deletedSegmentKeys: fc.subarray(['x', 'y']),
    isLarge: fc.boolean(),
  })
  /** So many others that a change with them is large. */
  const others = Array.from({ length: 300 }, (_, i) => booleanFlag(`other-${i}`, true))
  const property = fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (changes) => {
    const copy = new NamespaceCopy()
    const expected = { flags: new Map<string, object>(), segments: new Map<string, object>() }
    let revision = 0
    for (const { flags, segments, isLarge, ...deleted } of changes) {
      for (const key of deleted.deletedFlagKeys) expected.flags.delete(key)
      for (const key of deleted.deletedSegmentKeys) expected.segments.delete(key)
      const records = flags.map(([key, enabled, segmentKeys]) =>
        booleanFlag(key, enabled, ...segmentKeys),
      )
      const segmentRecords = segments.map(([key, country]) => countrySegment(key, country))
      for (const record of records) expected.flags.set(record.key, record)
      for (const record of segmentRecords) expected.segments.set(record.key, record)
      const before = answersOf(copy, [...'abcdefgh'])
      const changed = await apply(copy, {
        ...{ revision: ++revision, fromRevision: revision - 1, ...deleted },
        flags: isLarge ? [...records, ...others] : records,
        segments: segmentRecords,
      })
      const after = answersOf(copy, [...'abcdefgh'])
      const differing = [...'abcdefgh'].filter((_, i) => before[i] !== after[i])
      if (!differing.every((key) => changed.includes(key))) throw new Error('a change is not told')
    }
    const whole = new NamespaceCopy()
    const { flags, segments } = expected
    await apply(whole, { revision, flags: [...flags.values()], segments: [...segments.values()] })
    const [one, other] = [copy, whole].map((copy) => answersOf(copy, [...'abcdefgh']))
    if (String(one) !== String(other)) throw new Error(`${one} is not ${other}`)
  })
  await fc.assert(property, { numRuns: 200 })
})
