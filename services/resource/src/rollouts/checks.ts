import { checkFields } from '@svc/contract'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  Rollout,
  RolloutThreshold,
  RolloutType,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import { invalidField } from '@svc/runtime'
import { toSegmentChoice } from '../segments/segment-choice.ts'

/** What a rollout serves, and to whom: one of the two. */
type Served = Pick<Rollout, 'segment' | 'threshold'>

/**
 * What is served, as it is stored. That anything is served is left to be checked where the rank is
 * known to be free.
 */
export function checkServed<T extends Served>(rollout: T): T {
  const { segment, threshold } = rollout
  if (segment !== undefined && threshold !== undefined) {
    throw invalidField('segment or threshold', 'only one can be present')
  }
  if (threshold !== undefined) checkThreshold(threshold)
  if (segment === undefined) return rollout
  checkFields(fieldRules.RolloutSegment, segment)
  return { ...rollout, segment: toSegmentChoice(segment) }
}

/** @throws {AppError} for a percentage that is none */
export function checkThreshold(threshold: Pick<RolloutThreshold, 'percentage'>): void {
  const { minimum, maximum } = fieldRules.RolloutThreshold.percentage
  const percentage = Math.fround(threshold.percentage)
  // Neither holds for NaN.
  if (!(percentage >= minimum && percentage <= maximum)) {
    throw invalidField('threshold.percentage', `must be within range [${minimum}, ${maximum}]`)
  }
}

/** An update that names no rollout can only be about the threshold of the flag. */
export function checkUpdate(request: UpdateRolloutRequest): UpdateRolloutRequest {
  if (request.id === '' && request.segment !== undefined) {
    throw invalidField('segment', 'id is required')
  }
  const update = checkServed(request)
  if (typeOf(update) === 'UNKNOWN_ROLLOUT_TYPE') {
    throw invalidField('rule', 'invalid rollout rule type')
  }
  return update
}

export function typeOf({ segment, threshold }: Served): RolloutType {
  if (segment !== undefined) return 'SEGMENT_ROLLOUT_TYPE'
  return threshold === undefined ? 'UNKNOWN_ROLLOUT_TYPE' : 'THRESHOLD_ROLLOUT_TYPE'
}
