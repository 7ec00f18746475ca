import {
  type Counter,
  type Histogram,
  type Meter,
  metrics,
  type ObservableResult,
} from '@opentelemetry/api'
import { version } from '@svc/runtime'
import { type InstrumentDescription, type InstrumentName, instruments } from './instruments.ts'

export type { Counter }

/** The content type of the text of Prometheus that its every version reads. */
export const contentType = 'text/plain; version=0.0.4; charset=utf-8'

/** What is measured. */
export interface Metrics {
  /** @returns the text that Prometheus reads, of now or of a moment ago; to be called as it is */
  readonly scrape: () => Promise<string>
  close(): Promise<void>
}

/** Reports values of now, each with its attributes, when the metrics are read. */
export type Observe = (result: ObservableResult) => void

/** All of ours come from it; {@link startMetrics} has to be called before. Without that it measures nothing. */
export function meter(): Meter {
  return metrics.getMeter('svc', version)
}

/** Made where a service starts: an instrument that is made before `startMetrics` measures nothing. */
export function counter(name: InstrumentName<'counter'>): Counter {
  return meter().createCounter(name, optionsOf(name))
}

/** As {@link counter}. */
export function histogram(name: InstrumentName<'histogram'>): Histogram {
  return meter().createHistogram(name, optionsOf(name))
}

const refusals = ['overload', 'throttle', 'streams', 'queue', 'size'] as const

/** Why a request was refused for its number or size, and not for what it asks. */
export type RefusedFor = (typeof refusals)[number]

let refused: Counter | undefined

/** Begins the counts of refusals at 0: the rate of a series that begins with 1 leaves the first one out. */
export function beginRefusals(): void {
  refused = counter('svc.refused')
  for (const reason of refusals) refused.add(0, { reason })
}

/** Counts a request that was refused. */
export function countRefused(reason: RefusedFor): void {
  refused?.add(1, { reason })
}

/** @returns what ends it */
export function observeGauge(name: InstrumentName<'gauge'>, observe: Observe): () => void {
  const gauge = meter().createObservableGauge(name, optionsOf(name))
  gauge.addCallback(observe)
  return () => gauge.removeCallback(observe)
}

/** As {@link observeGauge}, for what only grows. */
export function observeCounter(name: InstrumentName<'counter'>, observe: Observe): () => void {
  const counter = meter().createObservableCounter(name, optionsOf(name))
  counter.addCallback(observe)
  return () => counter.removeCallback(observe)
}

function optionsOf(name: keyof typeof instruments) {
  const { about, unit, bounds }: InstrumentDescription = instruments[name]
  return {
    description: about,
    ...(unit && { unit }),
    ...(bounds && { advice: { explicitBucketBoundaries: [...bounds] } }),
  }
}
