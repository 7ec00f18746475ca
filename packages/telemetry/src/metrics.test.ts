import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { countRefused } from './metrics.ts'
import { PrometheusReader } from './prometheus.ts'
import { startMetrics } from './start.ts'

t.test('what is observed is in the text of Prometheus', async (t) => {
  const metrics = startMetrics()
  t.teardown(() => metrics.close())
  t.match(
    await metrics.scrape(),
    /# TYPE svc_build_info gauge\nsvc_build_info\{version="\d+\.\d+\.\d+[^"]*",revision="[^"]*",node="\d+[^"]*"\} 1\n/,
  )
})

t.test('refusals are counted from 0, whatever they are for', async (t) => {
  const metrics = startMetrics()
  t.teardown(() => metrics.close())
  countRefused('overload')
  const text = await metrics.scrape()
  t.match(text, 'svc_refused_total{reason="overload"} 1\n')
  t.match(text, 'svc_refused_total{reason="queue"} 0\n')
})

t.test('a stall of the event loop is in what every reader gets, for a minute', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  // A scrape that takes no time is not served again.
  const now = performance.now()
  t.intercept(performance, 'now', { value: () => now })
  const other = new PrometheusReader()
  const metrics = startMetrics({ readers: [other] })
  t.teardown(() => metrics.close())
  const maxOf = (text: string) =>
    Number(/^nodejs_eventloop_delay_max_seconds (.+)$/m.exec(text)?.[1])
  // The first of them begins the measurement.
  for (let stall = 1; stall <= 3; stall++) {
    const endsAt = Date.now() + 400
    while (Date.now() < endsAt);
    await nextTurn()
    await nextTurn()
  }
  const seen = maxOf(await metrics.scrape())
  t.ok(seen > 0.2, `${seen} s`)
  t.equal(maxOf(await other.scrape()), seen)
  mock.timers.tick(60_000)
  t.equal(maxOf(await metrics.scrape()), seen)
  t.equal(maxOf(await other.scrape()), seen)
  mock.timers.tick(15_000)
  t.ok(maxOf(await other.scrape()) < seen)
})
