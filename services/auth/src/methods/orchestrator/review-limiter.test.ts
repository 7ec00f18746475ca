import { fakeTime } from '@svc/runtime/testing'
import t from 'tap'
import { reviewLimiter } from './verify-workload.ts'

t.test('forty callers are served or wait, ten of them at once', async (t) => {
  const pass = fakeTime(t)
  const limiter = reviewLimiter()
  let running = 0
  const review = () => {
    running += 1
    return new Promise<void>(() => {})
  }
  // Three addresses, so that none of them has more than its share of the queue.
  const all = Array.from({ length: 40 }, (_, i) => limiter.run(`10.0.0.${i % 3}`, review))
  const outcomes = Promise.allSettled(all.slice(10))
  await t.rejects(limiter.run('10.0.0.9', review), {
    code: 'resource_exhausted',
    message: 'too many service accounts log in, try again in a second',
  })
  await pass(0)
  t.equal(running, 10)
  await pass(1500)
  const refused = {
    code: 'unavailable',
    message: 'service accounts cannot be verified at present, try again',
  }
  for (const outcome of await outcomes) t.match(outcome, { status: 'rejected', reason: refused })
  t.equal(running, 10, 'none of them begins later')
})

t.test('ten requests of one caller may wait', async (t) => {
  const pass = fakeTime(t)
  const limiter = reviewLimiter()
  const { promise, resolve } = Promise.withResolvers<void>()
  const greedy = Promise.allSettled(
    Array.from({ length: 100 }, () => limiter.run('10.0.0.1', () => promise)),
  )
  const other = limiter.run('10.0.0.2', async () => 'served')
  resolve()
  await pass(1000)
  t.equal(await other, 'served')
  const outcomes = await greedy
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20)
})
