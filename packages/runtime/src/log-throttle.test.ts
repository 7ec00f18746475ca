import { AsyncLocalStorage } from 'node:async_hooks'
import { mock } from 'node:test'
import t from 'tap'
import { LogThrottle } from './log-throttle.ts'

t.test('the first line of a key passes in a minute, and the others are counted', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const reported: [key: string | undefined, count: number][] = []
  const throttle = new LogThrottle((key, count) => reported.push([key, count]))
  t.strictSame(
    ['a', 'a', 'b', 'a', 'c'].map((key) => throttle.shouldLog(key)),
    [true, false, true, false, true],
  )
  mock.timers.tick(59_999)
  t.strictSame(reported, [])
  mock.timers.tick(1)
  t.strictSame(reported, [['a', 2]])
  t.equal(throttle.shouldLog('a'), true, 'the first of the next interval')
  throttle.flush()
  t.strictSame(reported, [['a', 2]])
})

t.test('what is suppressed is reported outside of the request whose line passed', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const requestIds = new AsyncLocalStorage<string>()
  const reported: (string | undefined)[] = []
  const throttle = new LogThrottle(() => reported.push(requestIds.getStore()))
  requestIds.run('r-1', () => {
    throttle.shouldLog('a')
    throttle.shouldLog('a')
    // A mocked timer runs in the context of its tick, as a real one does in that of its start.
    mock.timers.tick(60_000)
  })
  t.strictSame(reported, [undefined])
})

t.test('keys beyond the maximum are counted together', async (t) => {
  const reported = new Map<string | undefined, number>()
  const throttle = new LogThrottle((key, count) => reported.set(key, count))
  const passed = Array.from({ length: 100_000 }, (_, i) => throttle.shouldLog(`key ${i}`))
  t.equal(passed.filter(Boolean).length, 1000)
  throttle.shouldLog('key 3')
  throttle.flush()
  t.strictSame(
    [...reported],
    [
      ['key 3', 1],
      [undefined, 99_000],
    ],
  )
})
