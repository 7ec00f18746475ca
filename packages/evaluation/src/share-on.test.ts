import fc from 'fast-check'
import t from 'tap'
import { evaluateBoolean } from './boolean-flag.ts'
import { thresholdBucket, thresholdPlaces } from './bucket.ts'
import { crc32 } from './crc32.ts'
import { shiftBy } from './crc32-join.ts'
import { toEntity } from './entity.ts'
import { FlagSet } from './flag-set.ts'
import { type ShareRollout, shareOn } from './share-on.ts'
import {
  booleanFlag,
  change,
  inOne,
  segmentOf,
  segmentRollout,
  threshold,
} from './testing/records.ts'

const on = (percentage: number) => ({ percentage, value: true })
const off = (percentage: number) => ({ percentage, value: false })
const some = (value: boolean) => ({ value })
const everyone = (value: boolean) => ({ value, isForEveryone: true })

const cases: [what: string, enabled: boolean, ShareRollout[], share: number | undefined][] = [
  ['no rollouts', false, [], 0],
  ['no rollouts of one that is on', true, [], 100],
  ['a percentage', false, [on(31)], 31],
  ['the rest is on as well', true, [on(31)], 100],
  ['a percentage that takes away', true, [off(31)], 69],
  ['a second that is smaller adds nothing', false, [on(30), on(20)], 30],
  ['a second that is greater adds the difference', false, [on(30), on(45)], 45],
  ['a second that takes away from the rest alone', true, [on(30), off(45)], 85],
  ['by order and not by size', false, [off(30), on(45)], 15],
  ['fractions', false, [on(33.333), off(40), on(66.667)], 60],
  ['as fine as the bucket', false, [on(0.0004), on(0.001)], 0.001],
  ['a segment', false, [some(true)], undefined],
  ['a segment that gets what all get', true, [some(true)], 100],
  ['a segment before a percentage', false, [some(true), on(50)], undefined],
  ['a segment before all get the same', false, [some(true), on(100)], 100],
  ['a segment after all have an answer', false, [on(100), some(false)], 100],
  ['a segment after a percentage, as the rest', true, [off(20), some(true)], 80],
  ['a segment that gets the contrary of the rest', true, [on(20), some(false)], undefined],
  ['two segments that differ', true, [some(true), some(false)], undefined],
  ['a segment that matches everyone', false, [on(10), everyone(false), on(100)], 10],
  ['stopped', true, [off(100), on(50), some(true)], 0],
]

t.test('the share follows from order, bucket and rest', async (t) => {
  for (const [what, enabled, rollouts, share] of cases) {
    t.equal(shareOn(enabled, rollouts), share, what)
  }
})

/** For each tenth of the places an entity in it. */
const tenths = Array.from({ length: 10 }, (_, tenth) => {
  const stands = (id: number) => {
    const bucket = thresholdBucket(crc32('f'), shiftBy('f'), crc32(`${id}`))
    return Math.floor((bucket * 10) / thresholdPlaces)
  }
  let id = 0
  while (stands(id) !== tenth) id += 1
  return `${id}`
})

const anyRollout = fc.record({
  value: fc.boolean(),
  percentage: fc.option(
    fc.integer({ min: 0, max: 10 }).map((tenth) => tenth * 10),
    {
      nil: undefined,
    },
  ),
})

t.test(
  'it is known exactly where segments make no difference, and is the share of the engine',
  async (t) => {
    const property = fc.property(
      fc.boolean(),
      fc.array(anyRollout, { maxLength: 5 }),
      (enabled, rollouts) => {
        const set = new FlagSet()
        const records = rollouts.map(({ value, percentage }, index) =>
          percentage === undefined
            ? segmentRollout(index + 1, inOne(`s${index}`), value)
            : threshold(index + 1, percentage, value),
        )
        const segments = rollouts.map((_, index) => segmentOf(`s${index}`, `s${index}`, 'in'))
        set.apply(change({ flags: [booleanFlag('f', records, enabled)], segments }))
        const flag = set.get('f')
        if (flag?.type !== 'BOOLEAN_FLAG_TYPE') throw new Error('not a boolean flag')
        // Each entity in every choice of the segments.
        const answers = tenths.map((id) =>
          Array.from({ length: 2 ** rollouts.length }, (_, choice) => {
            const members = rollouts.flatMap((_, index) =>
              (choice >> index) & 1 ? [[`s${index}`, 'in']] : [],
            )
            return evaluateBoolean(flag, toEntity(id, Object.fromEntries(members))).enabled
          }),
        )
        const isKnown = answers.every((ofEntity) => new Set(ofEntity).size === 1)
        const share = answers.filter(([first]) => first).length * 10
        return shareOn(enabled, rollouts) === (isKnown ? share : undefined)
      },
    )
    t.doesNotThrow(() => fc.assert(property, { numRuns: 1000 }))
  },
)
