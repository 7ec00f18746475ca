import { metrics } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  createAllowListAttributesProcessor,
  type IMetricReader,
  MeterProvider,
} from '@opentelemetry/sdk-metrics'
import { version } from '@svc/runtime'
import { overflowLabel } from './fast.ts'
import { fastProducer } from './fast-producer.ts'
import { type InstrumentDescription, instruments } from './instruments.ts'
import { beginRefusals, type Metrics, observeGauge } from './metrics.ts'
import { measureProcess } from './process-metrics.ts'
import { PrometheusReader } from './prometheus.ts'

export interface MetricsOptions {
  /** Further readers of the same instruments. */
  readonly readers?: readonly IMetricReader[]
  /** What the process says of itself, for those readers. */
  readonly resource?: Resource | undefined
}

/** Makes instruments measure: those that are made from now on, of this process. Called once. */
export function startMetrics({ readers = [], resource }: MetricsOptions = {}): Metrics {
  const reader = new PrometheusReader({ metricProducers: [fastProducer] })
  const provider = new MeterProvider({
    ...(resource && { resource }),
    readers: [reader, ...readers],
    views: Object.entries<InstrumentDescription>(instruments).map(([name, { labels, limit }]) => ({
      instrumentName: name,
      // One more for what is beyond it.
      aggregationCardinalityLimit: limit + 1,
      attributesProcessors: [createAllowListAttributesProcessor([...labels, overflowLabel])],
    })),
  })
  metrics.setGlobalMeterProvider(provider)
  const build = { version, revision: process.env.SVC_REVISION ?? '', node: process.versions.node }
  observeGauge('svc.build_info', (result) => result.observe(1, build))
  const endProcess = measureProcess()
  beginRefusals()
  return {
    scrape: () => reader.scrape(),
    async close() {
      endProcess()
      await provider.shutdown()
      metrics.disable()
    },
  }
}
