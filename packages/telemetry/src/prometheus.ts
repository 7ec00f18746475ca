import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { type MetricData, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics'

/**
 * Share of a processor that reading the metrics may take: their text is served again for so many times as
 * long as it took to make. A scrape takes some milliseconds, so no scraper sees anything of it.
 */
const restFactor = 20

/** Reads the metrics when they are asked for, as the text of Prometheus. */
export class PrometheusReader extends MetricReader {
  readonly #serializer = new PrometheusSerializer(undefined, false, undefined, true, true)
  #last: Promise<string> | undefined
  #restsUntil = 0

  /** Requests that arrive at once have one answer. */
  scrape(): Promise<string> {
    if (this.#last === undefined || performance.now() >= this.#restsUntil) {
      this.#restsUntil = Number.POSITIVE_INFINITY
      this.#last = this.#read()
    }
    return this.#last
  }

  async #read(): Promise<string> {
    const startedAt = performance.now()
    try {
      const { resourceMetrics } = await this.collect()
      return this.#serializer.serialize(named(resourceMetrics))
    } finally {
      const endedAt = performance.now()
      this.#restsUntil = endedAt + restFactor * (endedAt - startedAt)
    }
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}

/** What Prometheus puts at the end of a name for a unit. The serializer leaves it out. */
const unitSuffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

function named({ resource, scopeMetrics }: ResourceMetrics): ResourceMetrics {
  return {
    resource,
    scopeMetrics: scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnit),
    })),
  }
}

function withUnit(data: MetricData): MetricData {
  const { name, unit } = data.descriptor
  return { ...data, descriptor: { ...data.descriptor, name: prometheusName(name, unit), unit: '' } }
}

/** @returns the name without the suffix of counters and histograms: `http_server_request_duration_seconds` */
export function prometheusName(name: string, unit = ''): string {
  const suffix = unitSuffixes[unit] ?? ''
  const plain = name.replaceAll('.', '_')
  return plain.endsWith(suffix) ? plain : plain + suffix
}
