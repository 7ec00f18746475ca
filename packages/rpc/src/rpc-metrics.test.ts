import { status } from '@grpc/grpc-js'
import { fakeTime } from '@svc/runtime/testing'
import { instruments } from '@svc/telemetry'
import { startMetrics } from '@svc/telemetry/start'
import t from 'tap'
import { measureCalls } from './rpc-metrics.ts'

t.test('calls stay within their limit of series over several scrapes', async (t) => {
  // A scrape that takes no time is not served again.
  fakeTime(t)
  const name = 'rpc.client.call.duration'
  const { limit } = instruments[name]
  const metrics = startMetrics()
  t.teardown(() => metrics.close())
  const measures = [measureCalls(name), measureCalls(name)]
  const readCounts = async () =>
    (await metrics.scrape())
      .split('\n')
      .filter((line) => line.startsWith('rpc_client_call_duration_seconds_count'))
  const sumOf = (lines: readonly string[]) =>
    lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

  const before = sumOf(await readCounts())
  for (let round = 1; round <= 3; round++) {
    for (let call = 1; call < limit; call++) {
      const path = `/test.Echo/Round${round}Call${call}`
      measures[call % 2]?.(path, status.OK, performance.now())
    }
    const counts = await readCounts()
    t.ok(counts.length <= limit + 1, `${counts.length} series after ${round} scrapes`)
    t.equal(sumOf(counts) - before, round * (limit - 1), 'calls of both channels')
  }
  measures[0]?.('/test.Echo/Failing', status.UNAVAILABLE, performance.now())
  t.match(
    await metrics.scrape(),
    '_count{rpc_response_status_code="UNAVAILABLE",otel_metric_overflow="true"} 1',
  )
})
