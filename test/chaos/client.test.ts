import t from 'tap'
import { startScenario } from './client.scenario.ts'

/** How long each fault lasts, in milliseconds. */
const holdMs = 4000

t.test('an application keeps its flags, whatever happens to the service', async (t) => {
  const { faults, application, suffer, end, maxHealMs } = await startScenario(t)
  for (const [name, fault] of Object.entries(faults)) {
    const tookMs = await suffer(fault, holdMs)
    t.ok(tookMs <= maxHealMs, `${name}: fresh ${tookMs.toFixed()} ms after it healed`)
  }
  const { wrong, thrown } = await end()
  t.strictSame(wrong, [], 'no answer that no revision gave')
  t.strictSame(thrown, [], 'and no exception')
  t.ok(application.seen.size > 20, `${application.seen.size} changes were seen`)
  t.ok(application.perSecond > 9000, `${application.perSecond.toFixed()} evaluations a second`)
})
