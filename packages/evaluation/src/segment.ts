import { type Constraint, compileConstraint, constraintMatches } from './constraint.ts'
import type { Context } from './context.ts'
import { lean } from './lean.ts'
import type { SegmentRecord } from './records.ts'

/**
 * A segment as flags refer to it. The object stays the same when the segment changes, comes or goes,
 * so that the flags that use it need not be compiled anew.
 */
export interface Segment {
  readonly key: string
  /** Its key alone: what a rule with no other segment answers. */
  readonly keys: readonly string[]
  exists: boolean
  needsAll: boolean
  constraints: readonly Constraint[]
  /** How many times flags refer to it. */
  references: number
}

/** A segment that does not exist yet. */
export function newSegment(key: string): Segment {
  return {
    key,
    keys: lean([key]),
    exists: false,
    needsAll: true,
    constraints: lean([]),
    references: 0,
  }
}

export function defineSegment(segment: Segment, record: SegmentRecord): void {
  segment.exists = true
  segment.needsAll = record.matchType !== 'ANY_MATCH_TYPE'
  segment.constraints = lean(record.constraints.map(compileConstraint))
}

export function undefineSegment(segment: Segment): void {
  segment.exists = false
  segment.constraints = lean([])
}

/** Whether an entity belongs to a segment. All do when there are no constraints. */
export function segmentMatches(segment: Segment, entityId: string, context: Context): boolean {
  const { constraints, needsAll } = segment
  if (constraints.length === 0) return true
  for (const constraint of constraints) {
    // The first that fails decides where all are needed, the first that holds where any will do.
    const matches = constraintMatches(constraint, entityId, context)
    if (matches !== needsAll) return matches
  }
  return needsAll
}
