import t from 'tap'
import { maxRetryAfter, RetryAfter } from './retry-after.ts'

function start(random = 0.5) {
  let now = 0
  const retryAfter = new RetryAfter({ now: () => now, random: () => random })
  return {
    retryAfter,
    /** A second in which so many are served, and so many refused. */
    pass(served: number, refused: number) {
      for (let i = 0; i < served + refused; i += 1) retryAfter.noteArrived()
      for (let i = 0; i < refused; i += 1) retryAfter.noteRefused()
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
    const { retryAfter, pass } = start()
    t.equal(retryAfter.noteRefused(), 1, 'nothing is known yet')
    const seconds: number[] = []
    for (const [served, refused] of [
      [100, 1],
      [100, 100],
      [100, 400],
      [0, 4],
      [10, 1000],
    ] as const) {
      pass(served, refused)
      seconds.push(retryAfter.noteRefused())
    }
    t.strictSame(seconds, [1, 2, 5, 4, maxRetryAfter])
  },
)

t.test('those that are refused together do not come back together', async (t) => {
  const waits = [0, 0.25, 0.5, 0.999].map((random) => {
    const { retryAfter, pass } = start(random)
    pass(100, 300)
    return retryAfter.noteRefused()
  })
  t.strictSame(waits, [2, 3, 4, 6])
})

t.test('what is over is forgotten', async (t) => {
  const { retryAfter, pass, wait } = start()
  pass(100, 700)
  t.equal(retryAfter.noteRefused(), 8)
  wait(2000)
  t.equal(retryAfter.noteRefused(), 1)
})
