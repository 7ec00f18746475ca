import { thresholdBucket, thresholdWidth } from './bucket.ts'
import { type Condition, compileCondition, matchingKeys, noKeys } from './condition.ts'
import type { Context } from './context.ts'
import { crc32 } from './crc32.ts'
import { type Shift, shiftBy } from './crc32-join.ts'
import type { Reason } from './reason.ts'
import type { FlagRecord, RolloutRecord } from './records.ts'
import type { Segment } from './segment.ts'

export interface BooleanFlag {
  readonly type: 'BOOLEAN_FLAG_TYPE'
  readonly key: string
  /** What its key adds to a hash of the key and an entity's id. */
  readonly keyCrc: number
  readonly keyShift: Shift
  readonly createdAt: number
  readonly enabled: boolean
  /** The first of them, by rank. */
  readonly rollouts: Rollout | undefined
}

interface Rollout {
  /** `undefined` for a threshold. */
  readonly condition: Condition | undefined
  /** The first place that a threshold leaves out. */
  readonly bound: number
  readonly value: boolean
  readonly next: Rollout | undefined
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
    keyCrc: crc32(record.key),
    keyShift: shiftBy(record.key),
    createdAt,
    enabled: record.enabled,
    rollouts: record.rollouts
      .toSorted((a, b) => a.rank - b.rank)
      .reduceRight<Rollout | undefined>(
        (next, rollout) => compileRollout(rollout, next, findSegment),
        undefined,
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
  for (let rollout = flag.rollouts; rollout !== undefined; rollout = rollout.next) {
    const { condition, bound, value } = rollout
    if (condition === undefined) {
      bucket ??= thresholdBucket(flag.keyCrc, flag.keyShift, entityId)
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
  next: Rollout | undefined,
  findSegment: (key: string) => Segment,
): Rollout | undefined {
  if (threshold !== undefined) {
    const bound = thresholdWidth(threshold.percentage)
    return { condition: undefined, bound, value: threshold.value, next }
  }
  const condition = segment && compileCondition(segment, findSegment)
  return condition ? { condition, bound: 0, value: segment.value, next } : next
}

function answer(
  enabled: boolean,
  reason: Reason,
  segmentKeys: readonly string[] = noKeys,
): BooleanEvaluation {
  return { enabled, reason, segmentKeys }
}
