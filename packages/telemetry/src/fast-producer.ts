import { ValueType } from '@opentelemetry/api'
import { emptyResource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type HistogramMetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import { version } from '@svc/runtime'
import { type FastHistogram, fastHistograms, hrTimeOf } from './fast.ts'

/** Gives a reader of OpenTelemetry the histograms that are counted in plain numbers: one of its `metricProducers`. */
export const fastProducer: MetricProducer = {
  async collect(): Promise<CollectionResult> {
    const metrics = Array.from(fastHistograms(), toMetricData)
    const scopeMetrics = [{ scope: { name: 'svc', version }, metrics }]
    // The reader takes that of the SDK.
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] }
  },
}

function toMetricData({
  name,
  description: { about, unit },
  startTime,
  distributions,
}: FastHistogram): HistogramMetricData {
  const endTime = hrTimeOf(Date.now())
  return {
    descriptor: { name, description: about, unit: unit ?? '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: Array.from(distributions(), ({ attributes, bounds, counts, sum }) => {
      const count = counts.reduce((total, one) => total + one, 0)
      const buckets = { boundaries: [...bounds], counts: [...counts] }
      return { attributes, startTime, endTime, value: { buckets, count, sum } }
    }),
  }
}
