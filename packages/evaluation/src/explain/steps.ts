import type { Entity } from '../entity.ts'
import type { FlagRecord } from '../records.ts'
import type { Note, Outcome, Step } from './explanation.ts'
import type { SegmentFindings } from './segments.ts'

/** A flag, and the entity that it is explained for. */
export interface Subject {
  readonly flag: FlagRecord
  readonly entity: Entity
  readonly segments: SegmentFindings
}

/** What one rule or rollout says of an entity, once it is reached. */
export interface StepFinding {
  readonly step: Step
  /** Nothing when the next step is tried. */
  readonly outcome: Outcome | undefined
  readonly notes: readonly Note[]
}

/** The rules or rollouts of a flag. */
export interface FlagSteps {
  /** What one of them is called in notes: `rule` or `rollout`. */
  readonly name: string
  /**
   * What finds out about each, in the order in which they are tried. It takes the place, from 1.
   *
   * @throws {ExplanationTooLongError}
   */
  readonly finders: readonly ((place: number) => StepFinding)[]
  /** Whether any is tried. */
  readonly areTried: boolean
  /** When none decides. */
  readonly otherwise: Outcome
}

/** By rank; those of one rank as they come. */
export function byRank<T extends { readonly rank: number }>(steps: readonly T[]): readonly T[] {
  return steps.toSorted((one, other) => one.rank - other.rank)
}
