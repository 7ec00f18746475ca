import { AggregationTemporality, InstrumentType, MetricReader } from '@opentelemetry/sdk-metrics'
import t from 'tap'
import { startOtlp } from './otlp.ts'

t.test('metrics are cumulative, whatever a variable of OpenTelemetry says', async (t) => {
  t.intercept(process, 'env', {
    value: { ...process.env, OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: 'delta' },
  })
  const otlp = startOtlp({
    service: 'svc-test',
    endpoint: 'http://127.0.0.1:1',
    traces: false,
    metrics: true,
    log: { warn: () => {} } as never,
  })
  t.teardown(() => otlp.close())
  const [reader] = otlp.readers
  if (!(reader instanceof MetricReader)) throw new Error('there is no reader')
  t.equal(
    reader.selectAggregationTemporality(InstrumentType.COUNTER),
    AggregationTemporality.CUMULATIVE,
  )
})
