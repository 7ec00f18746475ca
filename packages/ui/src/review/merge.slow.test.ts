import fc from 'fast-check'
import t from 'tap'
import { saysTheSame } from './documents.ts'
import { mergeDocuments } from './merge.ts'
import {
  anyEdits,
  booleanFlag,
  constraint,
  editFlag,
  rule,
  segmentOf,
  segmentRollout,
  startFlag,
  threshold,
  variant,
  variantFlag,
} from './testing.ts'

t.test('what one alone has changed is taken', async (t) => {
  const base = booleanFlag({
    rollouts: [
      segmentRollout(['beta'], true, '1'),
      threshold(25, true, '2'),
      segmentRollout(['old'], false, '3'),
    ],
  })
  const mine = {
    ...base,
    rollouts: [segmentRollout(['beta', 'staff'], true, '1'), threshold(50, true, '2')],
  }
  const theirs = {
    ...base,
    description: 'Ask Mara',
    rollouts: [base.rollouts[0], threshold(35, true, '2'), base.rollouts[2]].flatMap(
      (one) => one ?? [],
    ),
  }
  const { rows, collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.strictSame(
    rows.map(({ path, from }) => [path, from]),
    [
      ['description', 'theirs'],
      ['rollouts[1].who', 'mine'],
      ['rollouts[2].percentage', 'ask'],
      ['rollouts[3]', 'mine'],
    ],
  )
  t.match(collisions, [{ base: 25, mine: 50, theirs: 35, place: { index: 1, list: 'rollouts' } }])
  t.strictSame(resolve(), { ...mine, description: 'Ask Mara' })
  t.strictSame(resolve(() => 'theirs').rollouts[1], threshold(35, true, '2'))
})

t.test('a stop that another has put on top stays on top', async (t) => {
  const base = booleanFlag({ rollouts: [threshold(25, true, '1')] })
  const mine = { ...base, rollouts: [segmentRollout(['staff']), ...base.rollouts] }
  const theirs = { ...base, rollouts: [threshold(100, false, 'stop'), ...base.rollouts] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.strictSame(collisions, [])
  t.strictSame(
    resolve().rollouts.map(({ id }) => id),
    ['stop', '', '1'],
  )
})

t.test('also where the order has changed here', async (t) => {
  const [a, b] = [threshold(25, true, 'a'), segmentRollout(['x'], true, 'b')]
  const base = booleanFlag({ rollouts: [a, b] })
  const mine = { ...base, rollouts: [b, a] }
  const theirs = { ...base, rollouts: [threshold(100, false, 'stop'), a, b] }
  const { rows, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.ok(rows.some(({ path, from }) => path === 'rollouts.order' && from === 'mine'))
  t.strictSame(
    resolve().rollouts.map(({ id }) => id),
    ['stop', 'b', 'a'],
  )
})

t.test('two orders are asked', async (t) => {
  const rollouts = ['a', 'b', 'c'].map((id) => segmentRollout([id], true, id))
  const base = booleanFlag({ rollouts })
  const [a, b, c] = rollouts as [(typeof rollouts)[0], (typeof rollouts)[0], (typeof rollouts)[0]]
  const mine = { ...base, rollouts: [c, a, b] }
  const theirs = { ...base, rollouts: [b, a, c] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.match(collisions, [
    { path: 'rollouts.order', base: [0, 1, 2], mine: [2, 0, 1], theirs: [1, 0, 2] },
  ])
  t.strictSame(resolve().rollouts, mine.rollouts)
  t.strictSame(resolve(() => 'theirs').rollouts, theirs.rollouts)
})

t.test('what one took away and the other changed is asked', async (t) => {
  const base = booleanFlag({ rollouts: [threshold(25, true, '1')] })
  const mine = { ...base, rollouts: [] }
  const theirs = { ...base, rollouts: [threshold(40, true, '1')] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.match(collisions, [{ path: 'rollouts[1]', mine: undefined }])
  t.strictSame(resolve().rollouts, [])
  t.strictSame(resolve(() => 'theirs').rollouts, theirs.rollouts)
})

t.test('a split is one thing, so that its sum stays what one of the two wanted', async (t) => {
  const base = variantFlag({ rules: [rule('1', ['beta'], { blue: 50, green: 50 })] })
  const mine = { ...base, rules: [rule('1', ['beta'], { blue: 60, green: 40 })] }
  const theirs = { ...base, rules: [rule('1', ['beta', 'staff'], { blue: 30, green: 70 })] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.strictSame(
    collisions.map(({ path }) => path),
    ['rules[1].split'],
  )
  t.strictSame(resolve().rules, [rule('1', ['beta', 'staff'], { blue: 60, green: 40 })])
})

t.test('one variant is the default', async (t) => {
  const base = variantFlag({ variants: [variant('a', true), variant('b'), variant('c')] })
  const mine = { ...base, variants: [variant('a'), variant('b', true), variant('c')] }
  const theirs = { ...base, variants: [variant('a'), variant('b'), variant('c', true)] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.match(collisions, [{ path: 'default', base: 'a', mine: 'b', theirs: 'c' }])
  t.strictSame(resolve(), mine)
  t.strictSame(
    resolve(() => 'theirs'),
    theirs,
  )
})

t.test('a variant that went is asked for where another serves it anew', async (t) => {
  const base = variantFlag({ rules: [rule('1', ['beta'], { blue: 100 })] })
  const mine = { ...base, variants: [variant('blue', true)] }
  const theirs = { ...base, rules: [rule('1', ['beta'], { blue: 50, green: 50 })] }
  const { collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
  t.strictSame(
    collisions.map(({ path }) => path),
    ['variants[key green]'],
  )
  t.strictSame(resolve().rules, [rule('1', ['beta'], { blue: 50 })], 'its share goes with it')
  t.strictSame(
    resolve(() => 'theirs'),
    theirs,
  )
})

t.test('a variant that both have added is one, whatever else either has added', async (t) => {
  const base = variantFlag()
  const add = (...added: (readonly [key: string, name: string])[]) => ({
    ...base,
    variants: [...base.variants, ...added.map(([key, name]) => ({ ...variant(key), name }))],
  })
  const { rows } = mergeDocuments(
    'flag',
    base,
    add(['a', 'A'], ['b', 'Mine']),
    add(['b', 'Theirs']),
  )
  t.strictSame(
    rows.map(({ path, from }) => [path, from]),
    [
      ['variants[key b]', 'ask'],
      ['variants[key a]', 'mine'],
    ],
  )
})

t.test('what both have added alike is one', async (t) => {
  const base = segmentOf({ constraints: [constraint('1', 'country', 'DE')] })
  const mine = { ...base, constraints: [...base.constraints, constraint('', 'plan', 'pro')] }
  const theirs = { ...base, constraints: [...base.constraints, constraint('2', 'plan', 'pro')] }
  const { rows, resolve } = mergeDocuments('segment', base, mine, theirs)
  t.strictSame(
    rows.map(({ from }) => from),
    ['both'],
  )
  t.strictSame(resolve(), theirs)
})

t.test('members of metadata are merged each for itself', async (t) => {
  const base = booleanFlag({ metadata: { owner: 'mara', tags: ['a'] } })
  const mine = { ...base, metadata: { owner: 'mara', tags: ['a', 'b'] } }
  const theirs = { ...base, metadata: { tags: ['a'], ticket: 7 } }
  t.strictSame(mergeDocuments('flag', base, mine, theirs).resolve().metadata, {
    tags: ['a', 'b'],
    ticket: 7,
  })
})

t.test('of random edits of two nothing is lost', async (t) => {
  let asked = 0
  fc.assert(
    fc.property(anyEdits, anyEdits, (here, there) => {
      const base = startFlag
      const [mine, theirs] = [editFlag(base, here), editFlag(base, there, 'theirs')]
      const { rows, collisions, resolve } = mergeDocuments('flag', base, mine, theirs)
      asked += collisions.length
      const results = { mine: resolve(), theirs: resolve(() => 'theirs') }
      for (const [side, result] of Object.entries(results)) {
        // Merged with the result as a third version, no change of one side is found that is not in it.
        for (const [other, version] of Object.entries({ mine, theirs })) {
          for (const { path, from } of mergeDocuments('flag', base, version, result).rows) {
            // Orders are compared pair by pair below.
            const isOfVersion = (from === 'mine' || from === 'ask') && !path.endsWith('.order')
            const isAsked = collisions.some((row) => isSamePath(row.path, path))
            if (isOfVersion && !isAsked)
              throw new Error(`${path} of ${other} is lost when ${side} is taken`)
          }
        }
      }
      for (const list of ['rules', 'rollouts'] as const) {
        if (collisions.some(({ path }) => path === `${list}.order`)) continue
        const isAsked = (id: string) => collisions.some(({ path }) => path === `${list}[${id}]`)
        const pairs = turnedPairs(base[list], mine[list], theirs[list]).filter(
          (pair) => !pair.some(isAsked),
        )
        for (const result of Object.values(results))
          for (const [first, last] of pairs)
            if (placeIn(result[list], first) > placeIn(result[list], last))
              throw new Error(`${first} is not before ${last}`)
      }
      return rows.length > 0 || saysTheSame('flag', mine, theirs)
    }),
    { numRuns: 1000 },
  )
  t.ok(asked > 100, `${asked} collisions`)
})

t.test('with one side unchanged the result is the other', async () => {
  fc.assert(
    fc.property(anyEdits, (edits) => {
      const edited = editFlag(startFlag, edits)
      const here = mergeDocuments('flag', startFlag, edited, startFlag)
      const there = mergeDocuments('flag', startFlag, startFlag, edited)
      const both = mergeDocuments('flag', startFlag, edited, edited)
      return (
        here.collisions.length === 0 &&
        there.collisions.length === 0 &&
        both.collisions.length === 0 &&
        [here, there, both].every(({ resolve }) => saysTheSame('flag', resolve(), edited))
      )
    }),
    { numRuns: 1000 },
  )
})

t.test(
  'a result has no variant twice, none that is served but missing, and one default',
  async () => {
    fc.assert(
      fc.property(
        anyEdits,
        anyEdits,
        fc.func(fc.constantFrom('mine' as const, 'theirs' as const)),
        (here, there, choose) => {
          const mine = editFlag(startFlag, here)
          const theirs = editFlag(startFlag, there, 'theirs')
          const { variants, rules } = mergeDocuments('flag', startFlag, mine, theirs).resolve(
            choose,
          )
          const keys = variants.map(({ key }) => key)
          return (
            new Set(keys).size === keys.length &&
            variants.filter((one) => one.default).length <= 1 &&
            rules.every(
              ({ distributions }) =>
                distributions.every(({ variant }) => keys.includes(variant)) &&
                distributions.reduce((sum, { rollout }) => sum + rollout, 0) <= 100,
            )
          )
        },
      ),
      { numRuns: 1000 },
    )
  },
)

/** A part of what is asked as a whole, or the other way round. Shares go with a variant that is asked for. */
function isSamePath(asked: string, path: string): boolean {
  return (
    asked === path ||
    path.startsWith(`${asked}.`) ||
    asked.startsWith(`${path}.`) ||
    (asked.startsWith('variants[') && /^(?:rules|default)/.test(path))
  )
}

interface WithId {
  readonly id: string
}

function placeIn(elements: readonly WithId[], id: string): number {
  return elements.findIndex((element) => element.id === id)
}

/** Pairs that one of the two has turned and the other has not, as they have to be. */
function turnedPairs(
  base: readonly WithId[],
  mine: readonly WithId[],
  theirs: readonly WithId[],
): readonly (readonly [string, string])[] {
  const isIn = ({ id }: WithId) => placeIn(mine, id) !== -1 && placeIn(theirs, id) !== -1
  const ids = base.filter(isIn).map(({ id }) => id)
  return ids.flatMap((one, place) =>
    ids.slice(place + 1).flatMap((other): (readonly [string, string])[] => {
      const isTurned = (list: readonly WithId[]) => placeIn(list, one) > placeIn(list, other)
      return isTurned(mine) === isTurned(theirs) ? [] : [[other, one]]
    }),
  )
}
