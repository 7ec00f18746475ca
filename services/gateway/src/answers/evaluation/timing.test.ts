import t from 'tap'
import { timingSince } from './timing.ts'

t.test('writes the time as ProtoJSON does, from one second to the next and back', async (t) => {
  const second = Date.UTC(2026, 1, 28, 23, 59, 59)
  const fractions = [0, 1, 20, 300, 999, 1000, 1001, 2999]
  for (const ms of [...fractions, ...fractions.toReversed()].map((more) => second + more)) {
    t.intercept(Date, 'now', { value: () => ms })
    const expected = new Date(ms).toISOString().replace('.000Z', 'Z')
    const { timestamp, durationMillis, members } = timingSince(performance.now())
    t.equal(timestamp, expected)
    t.equal(members, `"requestDurationMillis":${durationMillis},"timestamp":"${expected}"`)
    t.match(String(durationMillis), /^\d+(\.\d{1,3})?$/)
  }
})
