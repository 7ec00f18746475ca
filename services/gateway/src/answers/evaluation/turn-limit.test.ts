import t from 'tap'
import { TurnLimit } from './turn-limit.ts'

/** Evaluations of so many milliseconds each, up to the one after which they have taken too long. */
function evaluate(ms: number, cpuMs = ms) {
  let count = 0
  let looks = 0
  const now = () => {
    looks += 1
    return count * ms
  }
  const limit = new TurnLimit(100, { now, cpu: () => count * cpuMs })
  looks = 0
  while (count < 10_000) {
    count += 1
    if (limit.isOver()) break
  }
  return { count, looks }
}

t.test('evaluations take about as long as they may', async (t) => {
  for (const ms of [0.1, 0.5, 1, 5, 20, 57, 99]) {
    const { count } = evaluate(ms)
    t.ok(count * ms >= 100, `${count} of ${ms} ms`)
    t.ok(count * ms < 200, `${count} of ${ms} ms`)
  }
  t.equal(evaluate(500).count, 1)
})

t.test('the clock is looked at now and then', async (t) => {
  t.strictSame(evaluate(0.0005), { count: 10_000, looks: 1250 })
})

t.test('time in which the thread did not run does not count', async (t) => {
  t.equal(evaluate(50, 0.001).count, 10_000)
  t.equal(evaluate(50, 10).count, 10)
})
