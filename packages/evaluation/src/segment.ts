import type { Condition } from './condition.ts'
import { type Constraint, compileConstraint, constraintMatches } from './constraint.ts'
import type { Entity } from './entity.ts'
import type { SegmentRecord } from './records.ts'

/**
 * A segment as flags refer to it. The object stays the same when the segment changes, comes or goes,
 * so that the flags that use it need not be compiled anew.
 */
export interface Segment {
  readonly key: string
  /** The condition of all rules that require this segment and no other. */
  readonly alone: Condition
  exists: boolean
  needsAll: boolean
  /** The first of them; none when every entity belongs to it. */
  constraints: Constraint | undefined
  /** The number of the entity that was asked about last, and whether it belongs. */
  askedAbout: number
  wasMember: boolean
}

/** A segment that does not exist yet. */
export function newSegment(key: string): Segment {
  const segments: Segment[] = []
  const segment = {
    key,
    alone: { segments, needsAll: true, keys: Object.freeze([key]) },
    exists: false,
    needsAll: true,
    constraints: undefined,
    askedAbout: 0,
    wasMember: false,
  }
  segments.push(segment)
  return segment
}

/** @param record `undefined` when the segment has been deleted */
export function defineSegment(segment: Segment, record: SegmentRecord | undefined): void {
  segment.exists = record !== undefined
  segment.needsAll = record?.matchType !== 'ANY_MATCH_TYPE'
  segment.constraints = record?.constraints.reduceRight<Constraint | undefined>(
    (next, constraint) => compileConstraint(constraint, next),
    undefined,
  )
  segment.askedAbout = 0
}

/** Whether an entity belongs to a segment: none to one that does not exist, all without constraints. */
export function isMember(segment: Segment, entity: Entity): boolean {
  if (segment.askedAbout !== entity.number) {
    segment.wasMember = segment.exists && satisfies(entity, segment)
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
