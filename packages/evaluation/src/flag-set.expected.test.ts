import t from 'tap'
import { FlagSet } from './flag-set.ts'
import type { FlagRecord } from './records.ts'
import { booleanFlag, change, inOne, segmentOf, segmentRollout } from './testing/records.ts'

/** A set that expects flags, created one after the other; `made` are those whose records were made. */
function expecting(keys: readonly string[]) {
  const made: string[] = []
  const set = new FlagSet((key) => {
    made.push(key)
    return recordOf(key, keys.indexOf(key))
  })
  set.expect(keys)
  return { set, made }
}

function recordOf(key: string, second: number): FlagRecord {
  const flag = booleanFlag(key, [segmentRollout(1, inOne(`segment-${key}`))])
  return { ...flag, createdAt: { seconds: 1000 + second, nanos: 0 } }
}

const keysOf = (set: FlagSet) => set.flags().map(({ key }) => key)

t.test('a flag that is expected', async (t) => {
  await t.test('counts, and is made when it is needed, once', async (t) => {
    const { set, made } = expecting(['a', 'b', 'c'])
    t.equal(set.size, 3)
    t.strictSame(made, [])
    t.equal(set.get('b')?.key, 'b')
    t.equal(set.get('b'), set.get('b'))
    t.equal(set.get('nope'), undefined)
    t.strictSame(made, ['b'])
  })

  await t.test('has its place, whichever is needed first', async (t) => {
    const { set, made } = expecting(['a', 'b', 'c'])
    set.get('c')
    t.strictSame(keysOf(set), ['a', 'b', 'c'])
    t.strictSame(made, ['c', 'a', 'b'])
    set.apply(change({ flags: [recordOf('late', 9), recordOf('early', -9)] }))
    t.strictSame(keysOf(set), ['early', 'a', 'b', 'c', 'late'])
  })

  await t.test('is not made when it is replaced or deleted before', async (t) => {
    const { set, made } = expecting(['a', 'b', 'c'])
    set.apply(change({ flags: [recordOf('a', 0)], deletedFlagKeys: ['b'] }))
    t.equal(set.size, 2)
    t.equal(set.get('b'), undefined)
    t.strictSame(keysOf(set), ['a', 'c'])
    t.strictSame(made, ['c'])
  })

  await t.test('is found by its segments', async (t) => {
    const { set } = expecting(['a', 'b'])
    set.apply(change({ segments: [segmentOf('segment-b', 'plan', 'pro')] }))
    t.strictSame(set.usersOf(['segment-b']), ['b'])
  })
})

t.test('the rest is compiled one by one, while the set changes', async (t) => {
  const { set, made } = expecting(['a', 'b', 'c', 'd', 'e'])
  set.get('b')
  const compiled: string[] = []
  for (const { key } of set.compileRest()) {
    compiled.push(key)
    if (key === 'a') set.apply(change({ deletedFlagKeys: ['c'], flags: [recordOf('d', 3)] }))
  }
  t.strictSame(compiled, ['a', 'e'])
  t.strictSame(made, ['b', 'a', 'e'])
  t.strictSame([...set.compileRest()], [])
  t.strictSame(keysOf(set), ['a', 'b', 'd', 'e'])
})
