import type { Reason, RolloutRecord } from '../records.ts'
import { bucketOfThreshold } from './bucket.ts'
import type { Outcome } from './explanation.ts'
import { missingSegments } from './notes.ts'
import { byRank, type FlagSteps, type StepFinding, type Subject } from './steps.ts'

/** The rollouts of a boolean flag. The first that applies decides, else the flag's own state. */
export function stepsOfBoolean(subject: Subject): FlagSteps {
  const { enabled, rollouts } = subject.flag
  return {
    name: 'rollout',
    finders: byRank(rollouts).map((rollout) => (place) => findOut(rollout, place, subject)),
    areTried: true,
    otherwise: outcome(enabled, 'DEFAULT_EVALUATION_REASON', []),
  }
}

function findOut(
  { threshold, segment }: RolloutRecord,
  place: number,
  subject: Subject,
): StepFinding {
  const { flag, entity, segments } = subject
  if (threshold !== undefined) {
    const bucket = bucketOfThreshold(flag.key, entity, threshold)
    const applies = bucket.shares.some(({ chosen }) => chosen)
    const verdict = applies ? 'MATCHED_VERDICT' : 'BEYOND_VERDICT'
    return {
      step: { place, verdict, ...noSegments, bucket, serves: String(threshold.value) },
      outcome: applies ? matched(threshold.value, []) : undefined,
      notes: [],
    }
  }
  if (segment === undefined) {
    const step = { place, verdict: 'NOT_MATCHED_VERDICT' as const, ...noSegments, serves: '' }
    return { step, outcome: undefined, notes: [] }
  }
  const condition = segments.ofCondition(segment)
  return {
    step: {
      place,
      verdict: condition.keys === undefined ? 'NOT_MATCHED_VERDICT' : 'MATCHED_VERDICT',
      operator: condition.operator,
      segments: condition.segments,
      serves: String(segment.value),
    },
    outcome: condition.keys && matched(segment.value, condition.keys),
    notes: missingSegments(place, 'rollout', condition.segments),
  }
}

const noSegments = { operator: 'OR_SEGMENT_OPERATOR', segments: [] } as const

function matched(enabled: boolean, segmentKeys: readonly string[]): Outcome {
  return outcome(enabled, 'MATCH_EVALUATION_REASON', segmentKeys)
}

function outcome(enabled: boolean, reason: Reason, segmentKeys: readonly string[]): Outcome {
  return { boolean: { enabled }, reason, segmentKeys }
}
