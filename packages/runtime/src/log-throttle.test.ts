import t from 'tap'
import { LogThrottle } from './log-throttle.ts'

t.test('the first line of a key passes, and the others are counted', async (t) => {
  const reported: [key: string | undefined, count: number][] = []
  const throttle = new LogThrottle({ onSuppressed: (key, count) => reported.push([key, count]) })
  t.strictSame(
    ['a', 'a', 'b', 'a', 'c'].map((key) => throttle.shouldLog(key)),
    [true, false, true, false, true],
  )
  t.strictSame(reported, [])
  throttle.flush()
  t.strictSame(reported, [['a', 2]])
  t.equal(throttle.shouldLog('a'), true, 'the first of the next interval')
  throttle.flush()
  t.strictSame(reported, [['a', 2]])
})

t.test('a timer ends the interval', async (t) => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const onSuppressed = (_key: string | undefined, count: number) => resolve(count)
  const throttle = new LogThrottle({ intervalMs: 20, onSuppressed })
  // The throttle's timer does not keep the process running.
  const keepAlive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(keepAlive))
  for (let i = 0; i < 5; i++) throttle.shouldLog('a')
  t.equal(await promise, 4)
})

t.test('keys beyond the maximum are counted together', async (t) => {
  const reported = new Map<string | undefined, number>()
  const onSuppressed = (key: string | undefined, count: number) => reported.set(key, count)
  const throttle = new LogThrottle({ maxKeys: 10, onSuppressed })
  const passed = Array.from({ length: 100_000 }, (_, i) => throttle.shouldLog(`key ${i}`))
  t.equal(passed.filter(Boolean).length, 10)
  throttle.shouldLog('key 3')
  throttle.flush()
  const expected = new Map<string | undefined, number>([
    [undefined, 99_990],
    ['key 3', 1],
  ])
  t.strictSame(reported, expected)
})
