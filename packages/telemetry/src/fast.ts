import type { Attributes, HrTime } from '@opentelemetry/api'
import { type InstrumentDescription, type InstrumentName, instruments } from './instruments.ts'
import { observeCounter } from './metrics.ts'

// An instrument of OpenTelemetry takes 1.3 µs for a measurement with three attributes, a third of an evaluation.
// What is measured with each request is counted in plain numbers, which the readers of OpenTelemetry read.
// docs/decisions/0043-plain-numbers.md.

/** Marks what is beyond the limit of an instrument, as the SDK does with its own. */
export const overflowLabel = 'otel.metric.overflow'
const overflow: Attributes = { [overflowLabel]: true }

/** What is kept of the attributes of a series that is beyond the limit of its instrument. */
type OverflowOf = (attributes: Attributes) => Attributes

interface SeriesLimits {
  readonly limit: number
  /** How many of them are for what is beyond the others. */
  readonly overflowLimit?: number
  readonly overflowOf?: OverflowOf | undefined
}

/** The series of an instrument by their attributes. Callers keep those that they use. */
class SeriesTable<S> {
  readonly #make: (attributes: Attributes) => S
  readonly #limits: SeriesLimits
  readonly #series = new Map<string, S>()

  constructor(limits: SeriesLimits, make: (attributes: Attributes) => S) {
    this.#limits = limits
    this.#make = make
  }

  of(attributes: Attributes): S {
    const { limit, overflowLimit = 0, overflowOf } = this.#limits
    const series = this.#get(attributes, limit - overflowLimit)
    if (series !== undefined) return series
    const kept = overflowOf && this.#get({ ...overflowOf(attributes), ...overflow }, limit)
    return kept ?? this.#getOrMake(overflow)
  }

  all(): Iterable<S> {
    return this.#series.values()
  }

  /** @returns nothing where there is none, and as many as may be */
  #get(attributes: Attributes, limit: number): S | undefined {
    if (this.#series.size < limit) return this.#getOrMake(attributes)
    return this.#series.get(JSON.stringify(attributes))
  }

  #getOrMake(attributes: Attributes): S {
    const key = JSON.stringify(attributes)
    const series = this.#series.get(key) ?? this.#make(attributes)
    this.#series.set(key, series)
    return series
  }
}

/** A count of one combination of attributes: add to it. */
export interface FastCount {
  readonly attributes: Attributes
  count: number
}

/**
 * Made where a service starts, as {@link counter} is.
 *
 * @param limit maximum combinations of attributes: that of the instrument, or less
 * @returns the count of some attributes, the same for the same ones
 */
export function fastCounter(
  name: InstrumentName<'counter'>,
  limit: number = instruments[name].limit,
): (attributes: Attributes) => FastCount {
  const table = new SeriesTable<FastCount>({ limit }, (attributes) => ({ attributes, count: 0 }))
  observeCounter(name, (result) => {
    for (const { attributes, count } of table.all()) result.observe(count, attributes)
  })
  return (attributes) => table.of(attributes)
}

/** The distribution of one combination of attributes. */
export class FastDistribution {
  readonly attributes: Attributes
  readonly bounds: readonly number[]
  /** Of each bucket; the last one has no upper bound. */
  readonly counts: number[]
  sum = 0

  constructor(attributes: Attributes, bounds: readonly number[]) {
    this.attributes = attributes
    this.bounds = bounds
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  /** @param times how often the value was measured */
  record(value: number, times = 1): void {
    let bucket = 0
    for (const bound of this.bounds) {
      if (value <= bound) break
      bucket += 1
    }
    this.counts[bucket] = (this.counts[bucket] ?? 0) + times
    this.sum += value * times
  }
}

/** A histogram of plain numbers, as the readers of OpenTelemetry take it. */
export interface FastHistogram {
  readonly name: InstrumentName<'histogram'>
  readonly description: InstrumentDescription
  readonly startTime: HrTime
  distributions(): Iterable<FastDistribution>
}

/** Those of this process, by name. */
const histograms = new Map<string, FastHistogram>()

export function fastHistograms(): Iterable<FastHistogram> {
  return histograms.values()
}

/**
 * @param overflowOf what is told apart of what is beyond the limit; all of it is one series where this is left out
 * @returns the distribution of some attributes, the same for the same ones
 */
export function fastHistogram(
  name: InstrumentName<'histogram'>,
  overflowOf?: OverflowOf,
): (attributes: Attributes) => FastDistribution {
  const description: InstrumentDescription = instruments[name]
  const { limit, overflowLimit = 0, bounds = [] } = description
  const table = new SeriesTable(
    { limit, overflowLimit, overflowOf },
    (attributes) => new FastDistribution(attributes, bounds),
  )
  const startTime = hrTimeOf(Date.now())
  histograms.set(name, { name, description, startTime, distributions: () => table.all() })
  return (attributes) => table.of(attributes)
}

/** @returns seconds and nanoseconds */
export function hrTimeOf(ms: number): HrTime {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]
}
