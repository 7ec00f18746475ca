import type { Reason } from '@svc/evaluation'
import { type FastCount, fastCounter, fastHistogram } from '@svc/telemetry'

/** What was evaluated: a flag of a type, or a key that no flag has. */
type Kind = 'boolean' | 'variant' | 'unknown'

/** What came of it. */
type Outcome = 'match' | 'default' | 'disabled' | 'unknown' | 'not_found' | 'wrong_type'

const outcomes: Readonly<Record<Reason, Outcome>> = {
  MATCH_EVALUATION_REASON: 'match',
  DEFAULT_EVALUATION_REASON: 'default',
  FLAG_DISABLED_EVALUATION_REASON: 'disabled',
  UNKNOWN_EVALUATION_REASON: 'unknown',
}

/** Namespaces and flags that are counted by their names; the rest is counted as one. */
const maxNamespaces = 100
const maxFlags = 1000
const other = '_other'

/** Maximum combinations of the labels without flags; with them it is the limit of the instrument. */
const maxSeries = 900

/** Counts by kind and outcome, each made when it is first needed. */
type Counts = Record<Kind, Partial<Record<Outcome, FastCount>>>

const noCounts = (): Counts => ({ boolean: {}, variant: {}, unknown: {} })

/** The names that were counted first, up to a number, each with what belongs to it. */
class BoundedNames<T> {
  readonly #max: number
  readonly #make: () => T
  readonly #known = new Map<string, T>()
  readonly #others: T

  constructor(max: number, make: () => T) {
    this.#max = max
    this.#make = make
    this.#others = make()
  }

  of(name: string): T {
    return this.#known.get(name) ?? this.#begin(name)
  }

  /** @returns the name as it is counted */
  labelOf(name: string): string {
    return this.#known.has(name) ? name : other
  }

  #begin(name: string): T {
    if (name === other || this.#known.size >= this.#max) return this.#others
    const made = this.#make()
    this.#known.set(name, made)
    return made
  }
}

interface Measures {
  note(namespaceKey: string, flagKey: string, kind: Kind, outcome: Outcome): void
  readonly durations: ReturnType<ReturnType<typeof fastHistogram>>
}

/** Of this process, like the instruments; nothing while it does not measure. */
let measures: Measures | undefined

/** @param perFlag whether evaluations are counted by flag as well */
export function measureEvaluations(perFlag: boolean): void {
  const counter = fastCounter('svc.evaluations', perFlag ? undefined : maxSeries)
  const namespaces = new BoundedNames(maxNamespaces, noCounts)
  const flags = new BoundedNames(maxFlags, () => new BoundedNames(maxNamespaces, noCounts))
  measures = {
    durations: fastHistogram('svc.evaluation.duration')({}),
    note(namespaceKey, flagKey, kind, reason) {
      const ofNamespace = perFlag ? flags.of(flagKey).of(namespaceKey) : namespaces.of(namespaceKey)
      const counts = ofNamespace[kind]
      let count = counts[reason]
      if (count === undefined) {
        if (perFlag) namespaces.of(namespaceKey)
        const namespace = namespaces.labelOf(namespaceKey)
        const flag = flags.labelOf(flagKey)
        count = counter({ namespace, kind, reason, ...(perFlag && { flag }) })
        counts[reason] = count
      }
      count.count += 1
    },
  }
}

/** Counts the evaluation of a flag that there is. */
export function noteEvaluation(
  namespaceKey: string,
  flagKey: string,
  type: 'BOOLEAN_FLAG_TYPE' | 'VARIANT_FLAG_TYPE',
  reason: Reason | 'wrong_type',
): void {
  if (measures === undefined) return
  const kind = type === 'BOOLEAN_FLAG_TYPE' ? 'boolean' : 'variant'
  const outcome = reason === 'wrong_type' ? reason : outcomes[reason]
  measures.note(namespaceKey, flagKey, kind, outcome)
}

/**
 * Counts that a flag was not found. Its name is not kept: callers may send any.
 *
 * @param namespaceKey of a namespace that there is
 */
export function noteMissing(namespaceKey: string | undefined): void {
  measures?.note(namespaceKey ?? other, other, 'unknown', 'not_found')
}

/** @param durationMs of as many evaluations together */
export function noteDuration(durationMs: number, evaluations: number): void {
  if (evaluations > 0) measures?.durations.record(durationMs / 1000 / evaluations, evaluations)
}
