import { shareOn } from '@svc/evaluation'
import fc from 'fast-check'
import t from 'tap'
import { reachOf, toPercentage } from '../../../review/reach.ts'
import { booleanFlag, inSegments, percent } from './fixtures.test.support.ts'
import { givesOn, nextPercentage, setPercentage, setValue } from './rollouts.ts'

const never = () => false

t.test('all percentages of a flag use the same bucket', async (t) => {
  const rollouts = [percent('a', 10), percent('b', 25), percent('c', 20)]
  const reach = reachOf(rollouts, never)
  t.match(reach.get('a'), { taken: 0, adds: 10 })
  t.match(reach.get('b'), { taken: 10, adds: 15 })
  t.match(reach.get('c'), { taken: 25, adds: 0, isAllTaken: false }, 'adds nobody')
})

t.test('nothing is left below a segment that matches everyone', async (t) => {
  const rollouts = [inSegments('a', 'all', 'eu'), percent('b', 25)]
  const isAll = (key: string) => key === 'all'
  t.match(reachOf(rollouts, isAll).get('b'), { taken: 100, adds: 0, isAllTaken: true })
  const and = rollouts.map((one) => ({
    ...one,
    ...(one.segment && {
      segment: { ...one.segment, operator: 'AND_SEGMENT_OPERATOR' as const },
    }),
  }))
  t.match(reachOf(and, isAll).get('b'), { taken: 0, adds: 25 })
})

t.test('what percentages add is what the service gives', async (t) => {
  const percentage = fc.integer({ min: 0, max: 100_000 }).map((places) => places / 1000)
  const same = fc.property(
    fc.array(fc.tuple(percentage, fc.boolean()), { maxLength: 6 }),
    (all) => {
      const rollouts = all.map(([percentage, value], place) =>
        percent(`${place}`, percentage, value),
      )
      const reach = reachOf(rollouts, never)
      const on = rollouts
        .filter(givesOn)
        .reduce((sum, { id }) => sum + (reach.get(id)?.adds ?? 0), 0)
      const expected = shareOn(
        false,
        all.map(([percentage, value]) => ({ percentage, value })),
      )
      return Math.abs(on - (expected ?? Number.NaN)) < 1e-6
    },
  )
  t.doesNotThrow(() => fc.assert(same))
})

t.test('a percentage is one that buckets have', async (t) => {
  t.equal(toPercentage(33.333_333), 33.333)
  t.equal(toPercentage(-1), 0)
  t.equal(toPercentage(101), 100)
  const flag = setPercentage(booleanFlag(percent('a', 25)), 'a', 50)
  t.equal(flag.rollouts[0]?.threshold?.percentage, 50)
})

t.test('what a rollout gives', async (t) => {
  const flag = setValue(booleanFlag(percent('a', 25), inSegments('b', 'eu')), 'b', false)
  t.strictSame(flag.rollouts.map(givesOn), [true, false])
})

t.test('a new percentage begins with more than is taken', async (t) => {
  t.equal(nextPercentage(booleanFlag(inSegments('a', 'eu'))), 25)
  t.equal(nextPercentage(booleanFlag(percent('a', 25), percent('b', 10))), 50)
  t.equal(nextPercentage(booleanFlag(percent('a', 99))), 100)
})
