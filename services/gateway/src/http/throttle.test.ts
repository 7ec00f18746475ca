import fc from 'fast-check'
import t from 'tap'
import { createThrottle } from './throttle.ts'

function open(burst: number, perSecond: number) {
  const clock = { now: 0 }
  const takeOne = createThrottle({ burst, perSecond, now: () => clock.now })
  /** How many of so many are let through at once. */
  const take = (count: number, key = 'a') =>
    Array.from({ length: count }, () => takeOne(key)).filter(Boolean).length
  return { clock, take, takeOne }
}

t.test('lets a burst through and then as much as comes back', async (t) => {
  const { clock, take } = open(20, 2)
  t.equal(take(100), 20)
  clock.now += 499
  t.equal(take(10), 0)
  clock.now += 1
  t.equal(take(10), 1)
  clock.now += 5000
  t.equal(take(100), 10)
  clock.now += 3_600_000
  t.equal(take(100), 20, 'never more than a burst')
})

t.test('counts each for itself', async (t) => {
  const { take } = open(5, 1)
  t.equal(take(9, 'a'), 5)
  t.equal(take(9, 'b'), 5)
  t.equal(take(9, 'a'), 0)
})

t.test('remembers a bounded number of them', async (t) => {
  const { takeOne } = open(1, 1)
  for (let i = 0; i < 101_000; i++) takeOne(`key ${i}`)
  t.notOk(takeOne('key 1000'), 'the latest 100,000')
  t.ok(takeOne('key 999'), 'and not those before')
})

t.test('never lets through more than it should, whatever the times', async (t) => {
  const { clock, takeOne } = open(5, 2)
  const waits = fc.array(fc.nat({ max: 3000 }), { maxLength: 60 })
  let runs = 0
  fc.assert(
    fc.property(waits, (waits) => {
      const key = `run ${runs++}`
      const startedAt = clock.now
      let taken = 0
      for (const wait of waits) {
        clock.now += wait
        if (takeOne(key)) taken += 1
        if (taken > 5 + ((clock.now - startedAt) * 2) / 1000 + 1e-6) return false
      }
      return true
    }),
    { numRuns: 1000 },
  )
  t.pass()
})
