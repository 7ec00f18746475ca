import t from 'tap'
import { maxRetryAfter, RetryAfter } from './retry-after.ts'

function start(random = 0.5) {
  let now = 0
  const retryAfter = new RetryAfter({ now: () => now, random: () => random })
  const add = (served: number, refused: number) => {
    for (let i = 0; i < served + refused; i += 1) retryAfter.noteArrived()
    for (let i = 0; i < refused; i += 1) retryAfter.noteRefused()
  }
  return {
    seconds: () => retryAfter.seconds(),
    add,
    /** A second in which so many are served, and so many refused. */
    pass(served: number, refused: number) {
      add(served, refused)
      now += 1000
    },
    wait(ms: number) {
      now += ms
    },
  }
}

t.test(
  'a client waits for as many seconds as there are requests to each that is served',
  async (t) => {
    const { seconds, pass, wait } = start()
    t.equal(seconds(), 1, 'nothing is known yet')
    const said: number[] = []
    for (const [served, refused] of [
      [100, 1],
      [100, 100],
      [100, 400],
      [0, 4],
      [10, 1000],
    ] as const) {
      pass(served, refused)
      said.push(seconds())
      wait(1000)
    }
    t.strictSame(said, [1, 2, 5, 4, Math.round(maxRetryAfter / 1.5)])
  },
)

t.test('also in the first second of an overload', async (t) => {
  const { seconds, add } = start()
  add(200, 800)
  t.equal(seconds(), 5)
})

t.test('those that are refused together do not come back together', async (t) => {
  const waitsOf = (served: number, refused: number) =>
    [0, 0.25, 0.5, 0.999].map((random) => {
      const { seconds, pass } = start(random)
      pass(served, refused)
      return seconds()
    })
  t.strictSame(waitsOf(100, 300), [2, 3, 4, 6])
  t.strictSame(waitsOf(1, 3000), [3, 5, 7, maxRetryAfter])
})

t.test('what is over is forgotten', async (t) => {
  const { seconds, pass, wait } = start()
  pass(100, 400)
  t.equal(seconds(), 5)
  wait(2000)
  t.equal(seconds(), 1)
})
