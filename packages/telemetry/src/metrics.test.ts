import t from 'tap'
import { startMetrics } from './start.ts'

t.test('what is observed is in the text of Prometheus', async (t) => {
  const metrics = startMetrics()
  t.teardown(() => metrics.close())
  t.match(
    await metrics.scrape(),
    /# TYPE svc_build_info gauge\nsvc_build_info\{version="\d+\.\d+\.\d+[^"]*",revision="[^"]*",node="\d+[^"]*"\} 1\n/,
  )
})
