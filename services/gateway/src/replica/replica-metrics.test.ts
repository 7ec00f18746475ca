import { fakeTime, waitFor } from '@svc/runtime/testing'
import { startMetrics } from '@svc/telemetry/start'
import t from 'tap'
import { measureReplica } from './replica-metrics.ts'
import { change, inStep, openReplica } from './testing.ts'

t.test('a replica has the age of the process until it is loaded', async (t) => {
  const metrics = startMetrics()
  t.teardown(() => metrics.close())
  const { replica, resource } = await openReplica(t)
  measureReplica(replica)
  const readAge = async () =>
    Number(/^svc_replica_age_seconds (.+)$/m.exec(await metrics.scrape())?.[1])

  const leastSeconds = performance.now() / 1000
  const age = await readAge()
  t.ok(age >= leastSeconds && age <= performance.now() / 1000, `${age} s`)

  resource.send(change('default', [0, 5], ['a']), ...inStep(1000))
  await waitFor(() => replica.isLoaded)
  // Until then the text of a moment ago is served again.
  await fakeTime(t)(3_600_000)
  t.equal(await readAge(), 1)
})
