import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { Limiter, type LimiterOptions, type LimiterRefusal } from './limiter.ts'

/** Starts work that ends when its `end` is called, and keeps in which order things happened. */
function setUp(options: Omit<LimiterOptions, 'refuse'>) {
  const events: string[] = []
  const refuse = (key: string, refusal: LimiterRefusal) => new Error(`${key} ${refusal}`)
  const limiter = new Limiter({ ...options, refuse })
  const work = (key: string, name = key) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = limiter.run(key, async () => {
      events.push(`${name} begins`)
      await promise
      events.push(`${name} ends`)
      return name
    })
    // A refusal is expected by the tests that look at it.
    done.catch(() => {})
    return { end: resolve, done }
  }
  return { limiter, events, work }
}

t.test('one run of a key at a time, in the order of the calls', async (t) => {
  const { events, work } = setUp({ maxRunningPerKey: 1 })
  const [a, b, c] = [work('n', 'a'), work('n', 'b'), work('n', 'c')]
  c.end()
  b.end()
  await turn()
  t.strictSame(events, ['a begins'])
  a.end()
  t.strictSame(await Promise.all([a.done, b.done, c.done]), ['a', 'b', 'c'])
  const expected = ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']
  t.strictSame(events, expected)
})

t.test('keys do not wait for each other', async (t) => {
  const { events, work } = setUp({ maxRunningPerKey: 1 })
  const [a, , c] = [work('n', 'a'), work('n', 'b'), work('m', 'c')]
  await turn()
  t.strictSame(events, ['a begins', 'c begins'])
  c.end()
  await c.done
  t.strictSame(events, ['a begins', 'c begins', 'c ends'])
  a.end()
})

t.test('all keys together have a maximum, too', async (t) => {
  const { events, work } = setUp({ maxRunning: 10 })
  const runs = Array.from({ length: 12 }, (_, i) => work(`${i}`))
  await turn()
  t.equal(events.length, 10)
  runs[3]?.end()
  await runs[3]?.done
  await turn()
  t.strictSame(events.slice(10), ['3 ends', '10 begins'])
  for (const { end } of runs) end()
  await Promise.all(runs.map(({ done }) => done))
  t.equal(events.length, 24)
})

t.test('a failure gives its place back', async (t) => {
  const { limiter, work } = setUp({ maxRunning: 1 })
  for (let i = 0; i < 15; i += 1) {
    await t.rejects(
      limiter.run('n', () => Promise.reject(new Error('no'))),
      { message: 'no' },
    )
  }
  const next = work('n')
  next.end()
  t.equal(await next.done, 'n')
})

t.test('a run that waits for too long is refused, and leaves the queue', async (t) => {
  const { events, work } = setUp({ maxRunningPerKey: 1, maxWaiting: 1, maxWaitMs: 20 })
  const a = work('n', 'a')
  await t.rejects(work('n', 'b').done, { message: 'n timeout' })
  const c = work('n', 'c')
  a.end()
  c.end()
  await Promise.all([a.done, c.done])
  t.strictSame(events, ['a begins', 'a ends', 'c begins', 'c ends'])
})

t.test('a run that would wait behind too many is refused at once', async (t) => {
  const { work } = setUp({ maxRunning: 1, maxWaiting: 3 })
  const runs = ['a', 'b', 'c', 'd'].map((key) => work(key))
  await t.rejects(work('e').done, { message: 'e queue_full' })
  for (const { end } of runs) end()
  await Promise.all(runs.map(({ done }) => done))
})

t.test('a key has a share of the queue, so that others are served', async (t) => {
  const { events, work } = setUp({ maxRunning: 10, maxWaiting: 30, maxWaitingPerKey: 10 })
  const greedy = Array.from({ length: 100 }, () => work('greedy'))
  const other = work('other')
  for (const { end } of greedy) end()
  other.end()
  t.equal(await other.done, 'other')
  const outcomes = await Promise.allSettled(greedy.map(({ done }) => done))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20)
  t.ok(events.includes('other ends'))
})

t.test('starts are limited within any one second, and keep their order', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { limiter } = setUp({ maxStartsPerSecond: 20 })
  const started: number[] = []
  for (let i = 0; i < 30; i++) void limiter.run('', async () => void started.push(i))
  const startedAfter = async (ms: number) => {
    mock.timers.tick(ms)
    await turn()
    return started.length
  }
  t.equal(await startedAfter(0), 20)
  t.equal(await startedAfter(999), 20)
  t.equal(await startedAfter(1), 30)
  t.strictSame(started, [...Array(30).keys()])
  for (let i = 30; i < 60; i++) void limiter.run('', async () => void started.push(i))
  t.equal(await startedAfter(999), 40, 'ten of the last second count')
  t.equal(await startedAfter(1), 60)
})

t.test('a run may be something else than a function', async (t) => {
  const { limiter, events, work } = setUp({ maxRunning: 1, maxWaiting: 1 })
  const end = await limiter.begin('a')
  const b = work('b')
  await t.rejects(limiter.begin('c'), { message: 'c queue_full' })
  t.strictSame(events, [])
  end()
  b.end()
  t.equal(await b.done, 'b')
})

t.test('keys take turns, however many of one wait', async (t) => {
  const { events, work } = setUp({ maxRunning: 1 })
  const runs = ['a', 'a', 'a', 'b', 'b', 'c'].map((key, i) => work(key, `${key}${i}`))
  for (const { end } of runs) end()
  await Promise.all(runs.map(({ done }) => done))
  const begun = events.filter((event) => event.endsWith('begins')).map((event) => event.slice(0, 2))
  t.strictSame(begun, ['a0', 'a1', 'b3', 'c5', 'a2', 'b4'])
})
