import t from 'tap'
import { DatabaseClock, readClock } from './clock.ts'
import { createTestDatabase } from './testing.ts'

t.test('assumes that the clock was read halfway through the wait', async (t) => {
  let monotonicMs = 1000
  const clock = new DatabaseClock({ monotonicMs: () => monotonicMs })
  await clock.synchronize(async () => {
    monotonicMs = 1400
    return 5_000_000
  })
  t.equal(clock.nowMs(), 5_000_200)
  monotonicMs += 60_000
  t.equal(clock.nowMs(), 5_060_200)
})

t.test(
  'discards a slow reading after the first, one that was overtaken and one that fails',
  async (t) => {
    let monotonicMs = 0
    const clock = new DatabaseClock({ monotonicMs: () => monotonicMs })
    const readIn = (tookMs: number, databaseMs: number) =>
      clock.synchronize(async () => {
        monotonicMs += tookMs
        return databaseMs
      })
    await readIn(3000, 50_000)
    t.equal(clock.nowMs(), 51_500, 'the first is better than none')
    await readIn(100, 53_100)
    t.equal(clock.nowMs(), 53_150)
    await readIn(3000, 56_150)
    t.equal(clock.nowMs(), 56_150)

    const { promise, resolve } = Promise.withResolvers<number>()
    const overtaken = clock.synchronize(() => promise)
    monotonicMs += 10
    await readIn(0, 70_000)
    resolve(60_000)
    await overtaken
    t.equal(clock.nowMs(), 70_000)
    await t.rejects(clock.synchronize(() => Promise.reject(new Error('failed'))))
    t.equal(clock.nowMs(), 70_000)
  },
)

t.test('agrees with a database on the same machine', async (t) => {
  const db = await createTestDatabase(t)
  // The first one waits for a connection, too.
  await readClock(db)
  const clock = new DatabaseClock()
  const askedAt = performance.now()
  await clock.synchronize(() => readClock(db))
  const waitedMs = performance.now() - askedAt
  // The reading may be wrong by half of the wait, the clock of this machine by a millisecond or so.
  const tolerated = waitedMs / 2 + 20
  const earliest = Date.now() - tolerated
  const nowMs = clock.nowMs()
  const latest = Date.now() + tolerated
  t.ok(nowMs >= earliest && nowMs <= latest, `${nowMs} is not in ${earliest} to ${latest}`)
})
