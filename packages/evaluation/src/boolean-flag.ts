import { thresholdBucket, thresholdWidth } from './bucket.ts'
import { type Condition, compileCondition, matchingKeys, noKeys } from './condition.ts'
import { crc32 } from './crc32.ts'
import { type Shift, shiftBy } from './crc32-join.ts'
import { crcOf, type Entity } from './entity.ts'
import type { FlagOrigin, FlagRecord, Reason, RolloutRecord } from './records.ts'
import type { Segment } from './segment.ts'

export interface BooleanFlag extends FlagOrigin {
  readonly type: 'BOOLEAN_FLAG_TYPE'
  /** What its key adds to a hash of an entity's id and the key. */
  readonly keyCrc: number
  readonly keyShift: Shift
  /** The first of them, by rank. */
  readonly rollouts: Rollout | undefined
  /** When no rollout applies. */
  readonly otherwise: BooleanEvaluation
}

interface Rollout {
  /** `undefined` for a threshold. */
  readonly condition: Condition | undefined
  /** The first place that a threshold leaves out. */
  readonly bound: number
  readonly answer: BooleanEvaluation
  readonly next: Rollout | undefined
}

/** Frozen, mostly: an evaluation picks one that was made when the flag was compiled. */
export interface BooleanEvaluation {
  readonly enabled: boolean
  readonly reason: Reason
  readonly segmentKeys: readonly string[]
}

const matchedOn = answer(true, 'MATCH_EVALUATION_REASON')
const matchedOff = answer(false, 'MATCH_EVALUATION_REASON')
const defaultOn = answer(true, 'DEFAULT_EVALUATION_REASON')
const defaultOff = answer(false, 'DEFAULT_EVALUATION_REASON')

export function compileBooleanFlag(
  { enabled, rollouts }: FlagRecord,
  { key, createdAt, source }: FlagOrigin,
  findSegment: (key: string) => Segment,
): BooleanFlag {
  return {
    type: 'BOOLEAN_FLAG_TYPE',
    key,
    createdAt,
    source,
    keyCrc: crc32(key),
    keyShift: shiftBy(key),
    rollouts: rollouts
      .toSorted((a, b) => a.rank - b.rank)
      .reduceRight<Rollout | undefined>(
        (next, rollout) => compileRollout(rollout, next, findSegment),
        undefined,
      ),
    otherwise: enabled ? defaultOn : defaultOff,
  }
}

/** Whether a flag is on for an entity. Never throws. */
export function evaluateBoolean(flag: BooleanFlag, entity: Entity): BooleanEvaluation {
  for (let rollout = flag.rollouts; rollout !== undefined; rollout = rollout.next) {
    const { condition, bound, answer } = rollout
    if (condition === undefined) {
      if (thresholdBucket(flag.keyCrc, flag.keyShift, crcOf(entity)) < bound) return answer
    } else {
      const segmentKeys = matchingKeys(condition, entity)
      if (segmentKeys === answer.segmentKeys) return answer
      if (segmentKeys !== undefined) return { ...answer, segmentKeys }
    }
  }
  return flag.otherwise
}

function compileRollout(
  { threshold, segment }: RolloutRecord,
  next: Rollout | undefined,
  findSegment: (key: string) => Segment,
): Rollout | undefined {
  if (threshold !== undefined) {
    const bound = thresholdWidth(threshold.percentage)
    return { condition: undefined, bound, answer: threshold.value ? matchedOn : matchedOff, next }
  }
  if (segment === undefined) return next
  const condition = compileCondition(segment, findSegment)
  const matched = answer(segment.value, 'MATCH_EVALUATION_REASON', condition.keys)
  return { condition, bound: 0, answer: matched, next }
}

function answer(
  enabled: boolean,
  reason: Reason,
  segmentKeys: readonly string[] = noKeys,
): BooleanEvaluation {
  return Object.freeze({ enabled, reason, segmentKeys })
}
