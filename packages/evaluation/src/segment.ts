import { type Constraint, compileConstraint, constraintMatches } from './constraint.ts'
import type { Entity } from './entity.ts'
import type { SegmentRecord } from './records.ts'

/**
 * A segment as flags refer to it. The object stays the same when the segment changes, comes or goes,
 * so that the flags that use it need not be compiled anew.
 */
export interface Segment {
  readonly key: string
  /** Its key alone: what a rule with no other segment answers. */
  readonly keys: readonly string[]
  /** Tells it from a list of segments. */
  readonly segments: undefined
  exists: boolean
  needsAll: boolean
  /** The first of them; none when every entity belongs to it. */
  constraints: Constraint | undefined
  /** The number of the entity that was asked about last, and whether it belongs. */
  askedAbout: number
  wasMember: boolean
  /** How many times flags refer to it. */
  references: number
}

/** What no one satisfies. */
const impossible: Constraint = { property: undefined, holds: () => false, next: undefined }

/** A segment that does not exist yet. */
export function newSegment(key: string): Segment {
  return {
    key,
    keys: Object.freeze([key]),
    segments: undefined,
    exists: false,
    needsAll: true,
    constraints: impossible,
    askedAbout: 0,
    wasMember: false,
    references: 0,
  }
}

export function defineSegment(segment: Segment, record: SegmentRecord): void {
  segment.exists = true
  segment.askedAbout = 0
  segment.needsAll = record.matchType !== 'ANY_MATCH_TYPE'
  segment.constraints = record.constraints.reduceRight<Constraint | undefined>(
    (next, constraint) => compileConstraint(constraint, next),
    undefined,
  )
}

export function undefineSegment(segment: Segment): void {
  segment.exists = false
  segment.askedAbout = 0
  segment.constraints = impossible
}

/** Whether an entity belongs to a segment: none to one that does not exist, all without constraints. */
export function isMember(segment: Segment, entity: Entity): boolean {
  if (segment.askedAbout !== entity.number) {
    segment.wasMember = satisfies(entity, segment)
    segment.askedAbout = entity.number
  }
  return segment.wasMember
}

function satisfies(entity: Entity, { constraints, needsAll }: Segment): boolean {
  if (constraints === undefined) return true
  let constraint: Constraint | undefined = constraints
  for (; constraint !== undefined; constraint = constraint.next) {
    // The first that fails decides where all are needed, the first that holds where any will do.
    const matches = constraintMatches(constraint, entity)
    if (matches !== needsAll) return matches
  }
  return needsAll
}
