import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { trace } from '@opentelemetry/api'
import { type ExportResult, ExportResultCode, parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type IMetricReader,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Logger, LogThrottle, type Running, type Secret, version } from '@svc/runtime'
import { fastProducer } from './fast-producer.ts'
import { setTracing } from './tracing.ts'

export interface OtlpOptions {
  /** The name of the service, such as `svc-auth`; `OTEL_SERVICE_NAME` goes before it. */
  readonly service: string
  /** The URL of a collector, without the path of a signal. */
  readonly endpoint: string
  /** `name=value,name=value`, percent-encoded. */
  readonly headers?: Secret | undefined
  readonly traces: boolean
  readonly metrics: boolean
  readonly log: Logger
}

export interface Otlp extends Running {
  /** Sends the metrics, where they are wanted. */
  readonly readers: readonly IMetricReader[]
  readonly resource: Resource
}

/** Timeout of an export, with its retries, in milliseconds. */
const exportTimeoutMs = 5000

/** Maximum time of the last export, in milliseconds: a collector that hangs does not delay an end for long. */
const flushLimitMs = 2000

/** Maximum spans that wait for an export. The largest have some 15 KB; what is more is dropped. */
const maxQueuedSpans = 1024

/** Maximum delay of a span, in milliseconds. */
const spanDelayMs = 2000

/** Interval at which metrics are sent, in milliseconds: the default of OpenTelemetry. */
const metricIntervalMs = 60_000

/** Of attributes and events of a span. A statement of SQL is the longest text, an answer for many flags has the most events. */
const spanLimits = {
  attributeValueLengthLimit: 2048,
  attributeCountLimit: 32,
  eventCountLimit: 32,
  attributePerEventCountLimit: 16,
}

/**
 * Sends spans and metrics to a collector by OTLP, as protobuf over HTTP. A collector that does not take them
 * costs what is sent to it, and one line of the log a minute: no request waits for it.
 */
export function startOtlp(options: OtlpOptions): Otlp {
  const { service, traces, metrics, log } = options
  const resource = resourceFromAttributes({
    'service.name': service,
    'service.version': version,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }))
  const throttle = new LogThrottle()
  const failed = (signal: string, { code, error }: ExportResult) => {
    if (code === ExportResultCode.SUCCESS || !throttle.shouldLog(signal)) return
    log.warn({ reason: reasonOf(error) }, `cannot send ${signal} by OTLP; dropping them`)
  }
  const provider = traces ? startTraces(options, resource, failed) : undefined
  const readers = metrics ? [metricReader(options, failed)] : []
  return {
    readers,
    resource,
    async close() {
      setTracing(false)
      const flushed = Promise.allSettled([
        provider?.shutdown(),
        ...readers.map((r) => r.shutdown()),
      ])
      await Promise.race([flushed, sleep(flushLimitMs, undefined, { ref: false })])
      trace.disable()
    },
  }
}

type Failed = (signal: string, result: ExportResult) => void

function startTraces(options: OtlpOptions, resource: Resource, failed: Failed): TracerProvider {
  class Exporter extends OTLPTraceExporter {
    override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
      super.export(spans, (result) => {
        failed('traces', result)
        done(result)
      })
    }
  }
  const provider = new TracerProvider({
    resource,
    spanLimits,
    // Spans are begun where the request is recorded; nothing below a request that is not can be.
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new Exporter(exporterOptions(options, 'traces')),
        maxQueueSize: maxQueuedSpans,
        maxExportBatchSize: maxQueuedSpans / 4,
        scheduledDelayMillis: spanDelayMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  })
  trace.setGlobalTracerProvider(provider)
  setTracing(true)
  return provider
}

function metricReader(options: OtlpOptions, failed: Failed): IMetricReader {
  class Exporter extends OTLPMetricExporter {
    override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
      super.export(metrics, (result) => {
        failed('metrics', result)
        done(result)
      })
    }
  }
  return new PeriodicExportingMetricReader({
    exporter: new Exporter({
      ...exporterOptions(options, 'metrics'),
      // Said, as else a variable does. Histograms of plain numbers are cumulative in any case.
      temporalityPreference: AggregationTemporality.CUMULATIVE,
    }),
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: exportTimeoutMs,
    metricProducers: [fastProducer],
  })
}

/** Certificates and compression it reads of the variables that OpenTelemetry has for them. */
function exporterOptions({ endpoint, headers }: OtlpOptions, signal: 'traces' | 'metrics') {
  return {
    url: `${endpoint.replace(/\/$/, '')}/v1/${signal}`,
    headers: parseKeyPairsIntoRecord(headers?.reveal()),
    timeoutMillis: exportTimeoutMs,
    // A collector that answers a byte at a time keeps an export for longer than its timeout.
    concurrencyLimit: 2,
  }
}

/** The code, where there is one: the text of a collector may be anything. */
function reasonOf(error: Error | undefined): string {
  if (error !== undefined && 'code' in error && error.code !== undefined) return String(error.code)
  return error?.message.slice(0, 200) ?? 'unknown'
}
