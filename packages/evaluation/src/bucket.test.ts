import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import t from 'tap'
import {
  distributionBucket as distributionBucketOf,
  extendBound,
  thresholdBucket as thresholdBucketOf,
  thresholdWidth,
} from './bucket.ts'
import { crc32 } from './crc32.ts'
import { shiftBy } from './crc32-join.ts'

/** Flag, entity, CRC of flag and entity and its coarse bucket, CRC of entity and flag and its own. */
const worked: readonly [string, string, number, number, number, number][] = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/buckets.json', import.meta.url), 'utf8'),
)

function distributionBucket(flagKey: string, entityId: string): number {
  return distributionBucketOf(crc32(flagKey), entityId)
}

function thresholdBucket(flagKey: string, entityId: string): number {
  return thresholdBucketOf(crc32(flagKey), shiftBy(flagKey), crc32(entityId))
}

const distributionWidth = (percentage: number) => extendBound(0, percentage)

const entities = Array.from({ length: 20_000 }, (_, i) => `user-${i}`)

t.test('worked values come out', async (t) => {
  for (const [flagKey, entityId, flagFirst, v, entityFirst, threshold] of worked) {
    t.equal(crc32(entityId, crc32(flagKey)) >>> 0, flagFirst)
    t.equal(crc32(flagKey, crc32(entityId)) >>> 0, entityFirst)
    t.equal(Math.floor(distributionBucket(flagKey, entityId) / 1000), v)
    t.equal(Math.floor(thresholdBucket(flagKey, entityId) / 1000), threshold)
  }
})

t.test('the places within a coarse bucket come from the digits above it', async (t) => {
  t.equal(distributionBucket('flag_001', 'some-fixed-entity-id'), 553_167)
  t.equal(thresholdBucket('flag_001', 'some-fixed-entity-id'), 67_638)
})

t.test('places are whole numbers within their range', async () => {
  const text = fc.array(fc.nat({ max: 0x10ffff })).map((points) => String.fromCodePoint(...points))
  fc.assert(
    fc.property(text, text, (flag, entity) => {
      const place = distributionBucket(flag, entity)
      const threshold = thresholdBucket(flag, entity)
      return (
        Number.isInteger(place) &&
        place >= 0 &&
        place < 1_000_000 &&
        Number.isInteger(threshold) &&
        threshold >= 0 &&
        threshold < 100_000
      )
    }),
  )
})

t.test('a percentage becomes the nearest whole number of places', async (t) => {
  const widths: readonly (readonly [number, number, number])[] = [
    [0, 0, 0],
    [0.00004, 0, 0],
    [0.05, 500, 50],
    [0.1, 1000, 100],
    [0.7, 7000, 700],
    [16.67, 166_700, 16_670],
    [33.299999, 333_000, 33_300],
    [33.33, 333_300, 33_330],
    [33.34, 333_400, 33_340],
    [66.6667, 666_667, 66_667],
    [99.9999999, 1_000_000, 100_000],
    [100, 1_000_000, 100_000],
  ]
  for (const [percentage, distribution, threshold] of widths) {
    t.equal(distributionWidth(percentage), distribution, `${percentage} as a distribution`)
    t.equal(thresholdWidth(percentage), threshold, `${percentage} as a threshold`)
  }
})

t.test('what is not a percentage covers nothing or everything', async (t) => {
  for (const none of [-1, -0, Number.NaN, Number.NEGATIVE_INFINITY]) {
    t.equal(distributionWidth(none), 0)
    t.equal(thresholdWidth(none), 0)
  }
  t.equal(distributionWidth(Number.POSITIVE_INFINITY), 1_000_000)
  t.equal(thresholdWidth(250), 100_000)
})

t.test('single precision does not change a width', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (places) => {
      const percentage = places / 10_000
      return distributionWidth(Math.fround(percentage)) === places
    }),
  )
})

t.test('widths that sum to 100 leave no place out', async () => {
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 20 })
  fc.assert(
    fc.property(cuts, (inside) => {
      const bounds = [...inside.sort((a, b) => a - b), 1_000_000]
      const widths = bounds.map((bound, i) => (bound - (bounds[i - 1] ?? 0)) / 10_000)
      return widths.reduce(extendBound, 0) === 1_000_000
    }),
  )
})

t.test('bounds stop at the last place', async (t) => {
  t.equal(extendBound(extendBound(0, 80), 80), 1_000_000)
})

t.test('raising a percentage keeps the entities that were in', async () => {
  const percentage = fc.double({ min: 0, max: 100, noNaN: true })
  fc.assert(
    fc.property(percentage, percentage, fc.string(), fc.string(), (a, b, flag, entity) => {
      const place = thresholdBucket(flag, entity)
      return place >= thresholdWidth(Math.min(a, b)) || place < thresholdWidth(Math.max(a, b))
    }),
  )
})

t.test('places fill evenly', async (t) => {
  for (const percentage of [1, 10, 30, 50, 99]) {
    const places = thresholdWidth(percentage)
    const within = entities.filter((entity) => thresholdBucket('checkout', entity) < places)
    const share = (within.length / entities.length) * 100
    t.ok(Math.abs(share - percentage) < 2, `${percentage} % came out as ${share} %`)
  }
})

t.test('places of distributions fill evenly', async (t) => {
  const counts = new Array<number>(20).fill(0)
  for (const entity of entities) {
    const twentieth = Math.floor(distributionBucket('checkout', entity) / 50_000)
    counts[twentieth] = (counts[twentieth] ?? 0) + 1
  }
  for (const count of counts) t.ok(count > 850 && count < 1150, `1,000 came out as ${count}`)
})
