import { fakeTime } from '@svc/runtime/testing'
import t, { type Test } from 'tap'
import { Announcements } from './announcements.ts'
import type { Transfer } from './transfer.ts'

/** What a stream announces, and a server that answers when the test says so. */
function start(t: Test, shown: number | undefined = 41) {
  const wait = fakeTime(t)
  t.intercept(Math, 'random', { value: () => 0.9 })
  const state = {
    ...{ shown, isAwaited: false, confirmed: 0, failures: 0 },
    asked: [] as number[],
    signals: [] as AbortSignal[],
    answer: (_revision?: number) => {},
    fail: () => {},
  }
  const announcements = new Announcements({
    ask: (revision, { signal }: Transfer) => {
      state.asked.push(revision)
      state.signals.push(signal)
      return new Promise<void>((resolve, reject) => {
        state.answer = (answered = revision) => {
          state.shown = answered
          resolve()
        }
        state.fail = () => reject(new Error('HTTP 503'))
        signal.addEventListener('abort', state.fail)
      })
    },
    shown: () => state.shown,
    isAwaited: () => state.isAwaited,
    confirm: () => void state.confirmed++,
    onFailure: () => void state.failures++,
  })
  t.teardown(() => announcements.end())
  return { announcements, state, wait }
}

t.test('heartbeats confirm what the stream gave last, and nothing before it', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.beat()
  t.equal(state.confirmed, 0)
  announcements.settle()
  t.equal(state.confirmed, 1, 'while it has given nothing, answers confirm themselves')
  announcements.announce(41)
  announcements.beat()
  t.equal(state.confirmed, 3)
  announcements.announce(42)
  announcements.beat()
  announcements.settle()
  t.equal(state.confirmed, 3)
  await wait(899)
  t.strictSame(state.asked, [], 'not all pages at once')
  await wait(1)
  t.strictSame(state.asked, [42])
  state.answer()
  await wait(0)
  t.equal(state.confirmed, 4)
  await wait(100_000)
  t.strictSame(state.asked, [42])
})

t.test('what a stream begins with is asked for at once, and so is what is awaited', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  await wait(0)
  t.strictSame(state.asked, [42])
  state.answer()
  await wait(0)
  state.isAwaited = true
  announcements.announce(43)
  await wait(0)
  t.strictSame(state.asked, [42, 43])
})

t.test('requests do not overtake each other', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  await wait(0)
  announcements.announce(43)
  announcements.announce(44)
  await wait(5000)
  t.strictSame(state.asked, [42])
  state.answer()
  await wait(0)
  await wait(900)
  t.strictSame(state.asked, [42, 44])
  t.equal(state.confirmed, 0)
  state.answer()
  await wait(0)
  t.equal(state.confirmed, 1)
})

t.test('an answer that does not come is given up, whatever the heartbeats', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  await wait(0)
  for (let i = 0; i < 9; i++) {
    await wait(1000)
    announcements.beat()
  }
  t.equal(state.failures, 0)
  await wait(1000)
  t.equal(state.failures, 1)
  t.equal(state.confirmed, 0)
})

t.test('answers of another revision are asked for again, as the heart beats', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  await wait(0)
  state.answer(43)
  await wait(10_000)
  t.strictSame(state.asked, [42])
  t.equal(state.confirmed, 0, 'a restored database, or this gateway lags')
  announcements.beat()
  await wait(900)
  t.strictSame(state.asked, [42, 42])
  announcements.announce(43)
  t.equal(state.confirmed, 1)
})

t.test('those that came from elsewhere and are older are asked for again', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(41)
  state.shown = 40
  announcements.settle()
  await wait(900)
  t.strictSame(state.asked, [41])
  // And while it is under way, also for another subject.
  state.answer(40)
  announcements.settle()
  await wait(0)
  await wait(900)
  t.strictSame(state.asked, [41, 41])
  state.answer()
  await wait(0)
  t.equal(state.confirmed, 2)
})

t.test('with the stream all of it ends', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  announcements.end()
  await wait(1000)
  t.strictSame(state.asked, [])
})

t.test('and so does the request that is under way', async (t) => {
  const { announcements, state, wait } = start(t)
  announcements.announce(42)
  await wait(0)
  announcements.end()
  await wait(0)
  t.equal(state.signals[0]?.aborted, true)
  t.equal(state.failures, 0)
})
