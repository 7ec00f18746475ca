import t from 'tap'
import { countRefused } from './metrics.ts'
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
