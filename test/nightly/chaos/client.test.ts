import t from 'tap'
import { startScenario } from '../../chaos/client.scenario.ts'

/** How long it goes on, in seconds. */
const durationSeconds = 600

/** How long faults last, in milliseconds, by turns: the longest is longer than a stream may be silent. */
const holdsMs = [1000, 5000, 15_000, 45_000]

t.test('an application keeps its flags for ten minutes of faults', async (t) => {
  const { faults, application, suffer, end, maxHealMs } = await startScenario(t)
  for (let round = 0; application.seconds < durationSeconds; round++) {
    const holdMs = holdsMs[round % holdsMs.length] ?? 0
    for (const [name, fault] of Object.entries(faults)) {
      const tookMs = await suffer(fault, holdMs)
      t.ok(tookMs <= maxHealMs, `${name} for ${holdMs} ms: fresh ${tookMs.toFixed()} ms later`)
    }
  }
  const { wrong, thrown } = await end()
  t.strictSame(wrong, [], 'no answer that no revision gave')
  t.strictSame(thrown, [], 'and no exception')
  t.ok(application.seen.size > 20, `${application.seen.size} changes were seen`)
  t.ok(application.perSecond > 9000, `${application.perSecond.toFixed()} evaluations a second`)
})
