import { thresholdBucket, thresholdWidth } from './bucket.ts'
import { type Condition, compileCondition, matchingKeys } from './condition.ts'
import type { Context } from './context.ts'
import { lean } from './lean.ts'
import type { Reason } from './reason.ts'
import type { FlagRecord, RolloutRecord } from './records.ts'
import type { Segment } from './segment.ts'

export interface BooleanFlag {
  readonly type: 'BOOLEAN_FLAG_TYPE'
  readonly key: string
  readonly createdAt: number
  readonly enabled: boolean
  readonly rollouts: readonly Rollout[]
}

interface Rollout {
  /** `undefined` for a threshold. */
  readonly condition: Condition | undefined
  /** The first place that a threshold leaves out. */
  readonly bound: number
  readonly value: boolean
}

export interface BooleanEvaluation {
  readonly enabled: boolean
  readonly reason: Reason
  readonly segmentKeys: readonly string[]
}

export function compileBooleanFlag(
  record: FlagRecord,
  createdAt: number,
  findSegment: (key: string) => Segment,
): BooleanFlag {
  return {
    type: 'BOOLEAN_FLAG_TYPE',
    key: record.key,
    createdAt,
    enabled: record.enabled,
    rollouts: lean(
      record.rollouts
        .toSorted((a, b) => a.rank - b.rank)
        .map((rollout) => compileRollout(rollout, findSegment))
        .filter((rollout) => rollout !== undefined),
    ),
  }
}

/** Whether a flag is on for an entity. Never throws. */
export function evaluateBoolean(
  flag: BooleanFlag,
  entityId: string,
  context: Context,
): BooleanEvaluation {
  let bucket: number | undefined
  for (const { condition, bound, value } of flag.rollouts) {
    if (condition === undefined) {
      bucket ??= thresholdBucket(flag.key, entityId)
      if (bucket < bound) return answer(value, 'MATCH_EVALUATION_REASON')
    } else {
      const segmentKeys = matchingKeys(condition, entityId, context)
      if (segmentKeys !== undefined) return answer(value, 'MATCH_EVALUATION_REASON', segmentKeys)
    }
  }
  return answer(flag.enabled, 'DEFAULT_EVALUATION_REASON')
}

function compileRollout(
  { threshold, segment }: RolloutRecord,
  findSegment: (key: string) => Segment,
): Rollout | undefined {
  if (threshold !== undefined) {
    const bound = thresholdWidth(threshold.percentage)
    return { condition: undefined, bound, value: threshold.value }
  }
  const condition = segment && compileCondition(segment, findSegment)
  return condition && { condition, bound: 0, value: segment.value }
}

function answer(
  enabled: boolean,
  reason: Reason,
  segmentKeys: readonly string[] = lean([]),
): BooleanEvaluation {
  return { enabled, reason, segmentKeys }
}
