import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { Backoff } from './backoff.ts'

t.test('retries are quick for a minute, and then ever slower', async (t) => {
  const wait = fakeTime(t)
  t.intercept(Math, 'random', { value: () => 0.5 })
  const backoff = new Backoff()
  const waits: number[] = []
  for (let i = 0; i < 68; i++) {
    const ms = backoff.next()
    waits.push(ms)
    await wait(ms)
  }
  t.strictSame(waits.slice(0, 4), [500, 1000, 1000, 1000])
  t.strictSame(waits.slice(-8), [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  t.equal(backoff.isLong, true)
  backoff.reset()
  t.equal(backoff.isLong, false)
  t.equal(backoff.next(), 500)
})

t.test('each retry is spread by half', async (t) => {
  for (const [random, ms] of [
    [0, 250],
    [0.999, 749.5],
  ] as const) {
    t.intercept(Math, 'random', { value: () => random })
    t.equal(new Backoff().next(), ms)
  }
})
