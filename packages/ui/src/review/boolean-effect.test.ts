import { shareOn } from '@svc/evaluation'
import fc from 'fast-check'
import t from 'tap'
import { booleanEffect, shareOf } from './boolean-effect.ts'
import { anyBooleanFlag, segmentRollout, threshold } from './testing.ts'

const nothing = () => false

t.test('a percentage that goes up takes On from no one', async (t) => {
  const effect = booleanEffect(
    { enabled: false, rollouts: [segmentRollout(['beta']), threshold(25)] },
    { enabled: false, rollouts: [segmentRollout(['beta']), threshold(50)] },
    nothing,
  )
  t.strictSame(effect?.loses, { min: 0, max: 0 })
  t.strictSame(effect?.gains, { min: 0, max: 25 }, 'those who are in beta have it')
})

t.test('one that goes down does', async (t) => {
  const effect = booleanEffect(
    { enabled: false, rollouts: [threshold(50)] },
    { enabled: false, rollouts: [threshold(30)] },
    nothing,
  )
  t.strictSame(effect?.loses, { min: 20, max: 20 })
  t.equal(shareOf(effect?.onBefore ?? { min: 0, max: 1 }), 50)
})

t.test('so may a rule that moves', async (t) => {
  const [beta, off] = [segmentRollout(['beta']), threshold(40, false)]
  const effect = booleanEffect(
    { enabled: true, rollouts: [beta, off] },
    { enabled: true, rollouts: [off, beta] },
    nothing,
  )
  t.strictSame(effect?.loses, { min: 0, max: 40 }, 'those in beta')
})

t.test('a second percentage below the first adds no one', async (t) => {
  const effect = booleanEffect(
    { enabled: false, rollouts: [threshold(50)] },
    { enabled: false, rollouts: [threshold(50), threshold(30)] },
    nothing,
  )
  t.strictSame(effect?.gains, { min: 0, max: 0 })
})

t.test('a segment without constraints is one that all are in', async (t) => {
  const effect = booleanEffect(
    { enabled: false, rollouts: [] },
    { enabled: false, rollouts: [segmentRollout(['all'])] },
    (key) => key === 'all',
  )
  t.strictSame(effect?.onAfter, { min: 100, max: 100 })
})

t.test('with too many segments nothing is said', async (t) => {
  const rollouts = Array.from({ length: 11 }, (_, n) => segmentRollout([`s${n}`]))
  t.equal(
    booleanEffect({ enabled: false, rollouts }, { enabled: true, rollouts }, nothing),
    undefined,
  )
})

t.test('where the service knows the share, it is the same one', async () => {
  fc.assert(
    fc.property(anyBooleanFlag, anyBooleanFlag, (before, after) => {
      const isForEveryone = (key: string) => key === 'all'
      const effect = booleanEffect(before, after, isForEveryone)
      const share = shareOn(
        after.enabled,
        after.rollouts.map(({ segment, threshold }) => ({
          value: segment?.value ?? threshold?.value ?? false,
          percentage: threshold?.percentage,
          isForEveryone:
            segment !== undefined &&
            (segment.operator === 'AND_SEGMENT_OPERATOR'
              ? segment.segments.every(isForEveryone)
              : segment.segments.some(isForEveryone)),
        })),
      )
      if (effect === undefined) return false
      return share === undefined || Math.abs((shareOf(effect.onAfter) ?? -1) - share) < 0.01
    }),
  )
})
