import type { Entity } from '../entity.ts'
import type { SegmentRecord, SegmentsRecord } from '../records.ts'
import type { Budget } from './budget.ts'
import { explainConstraint } from './constraint.ts'
import type { SegmentFinding, Step } from './explanation.ts'

/** The segments of one rule or rollout. */
export interface ConditionFinding {
  readonly operator: Step['operator']
  readonly segments: readonly SegmentFinding[]
  /** The keys of those that the entity belongs to, in their order; nothing when it takes others. */
  readonly keys: readonly string[] | undefined
}

/** What the segments of a namespace say of one entity, each found out once. */
export class SegmentFindings {
  readonly #records: ReadonlyMap<string, SegmentRecord>
  readonly #entity: Entity
  readonly #budget: Budget
  readonly #found = new Map<string, { finding: SegmentFinding; bytes: number }>()

  constructor(records: ReadonlyMap<string, SegmentRecord>, entity: Entity, budget: Budget) {
    this.#records = records
    this.#entity = entity
    this.#budget = budget
  }

  /** @throws {ExplanationTooLongError} */
  ofCondition({ segmentKey, segmentKeys, segmentOperator }: SegmentsRecord): ConditionFinding {
    const asked = segmentKeys.length > 1 ? segmentKeys : [segmentKeys[0] ?? segmentKey]
    // Of a single segment the operator says nothing.
    const needsAll = asked.length > 1 && segmentOperator === 'AND_SEGMENT_OPERATOR'
    const segments = asked.map((key) => this.#of(key))
    const keys = segments.filter(({ member }) => member).map(({ key }) => key)
    const isMet = needsAll
      ? keys.length === segments.length
      : keys.length > 0 && segments.every(({ exists }) => exists)
    return {
      operator: needsAll ? 'AND_SEGMENT_OPERATOR' : 'OR_SEGMENT_OPERATOR',
      segments,
      keys: isMet ? keys : undefined,
    }
  }

  #of(key: string): SegmentFinding {
    const known = this.#found.get(key)
    if (known !== undefined) {
      this.#budget.takeBytes(known.bytes)
      return known.finding
    }
    const found = this.#find(key)
    this.#found.set(key, found)
    return found.finding
  }

  #find(key: string) {
    const record = this.#records.get(key)
    const needsAll = record?.matchType !== 'ANY_MATCH_TYPE'
    const head = {
      key,
      exists: record !== undefined,
      matchType: needsAll ? ('ALL_MATCH_TYPE' as const) : ('ANY_MATCH_TYPE' as const),
      member: false,
      constraints: [],
    }
    let bytes = this.#budget.take(head)
    const constraints = (record?.constraints ?? []).map((constraint) => {
      const finding = explainConstraint(constraint, this.#entity)
      bytes += this.#budget.take(finding)
      return finding
    })
    const holding = constraints.filter(({ holds }) => holds).length
    const isMet =
      needsAll || constraints.length === 0 ? holding === constraints.length : holding > 0
    const member = record !== undefined && isMet
    // One that fails settles a segment that needs all, one that holds a segment that needs any.
    // Where there is no such one, all of them together settled it.
    const settled = constraints.map((one) => ({ ...one, decisive: one.holds === member }))
    return { finding: { ...head, member, constraints: settled }, bytes }
  }
}
