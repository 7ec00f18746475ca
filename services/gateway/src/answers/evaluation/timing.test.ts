import { mock } from 'node:test'
import t from 'tap'
import { timingSince } from './timing.ts'

t.test('writes the time as ProtoJSON does', async (t) => {
  t.teardown(() => mock.timers.reset())
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 1, 28, 23, 59, 59) })
  for (const [laterMs, expected] of [
    [0, '2026-02-28T23:59:59Z'],
    [20, '2026-02-28T23:59:59.020Z'],
    [980, '2026-03-01T00:00:00Z'],
  ] as const) {
    mock.timers.tick(laterMs)
    const { timestamp, durationMillis, members } = timingSince(performance.now())
    t.equal(timestamp, expected)
    t.equal(members, `"requestDurationMillis":${durationMillis},"timestamp":"${expected}"`)
    t.match(String(durationMillis), /^\d+(\.\d{1,3})?$/)
  }
})
