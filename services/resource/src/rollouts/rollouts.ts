import { checkFields } from '@svc/contract'
import { fieldRules } from '@svc/proto/field-rules'
import type {
  CreateRolloutRequest,
  Rollout,
  RolloutThreshold,
  RolloutType,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import { invalidField } from '@svc/runtime'
import { checkRequest } from '../fields.ts'
import { toSegmentChoice } from '../segments/segment-choice.ts'
import { rolloutHasNoType } from './rollouts.errors.ts'

/** What a rollout serves, and to whom: one of the two. */
type Served = Pick<Rollout, 'segment' | 'threshold'>

/** That it serves anything is left to be checked where its rank is known to be free. */
export function checkRolloutCreation(request: CreateRolloutRequest): CreateRolloutRequest {
  return checkServed(checkRequest(fieldRules.CreateRolloutRequest, request))
}

/** Of a rollout that the request names. */
export function checkRolloutUpdate(request: UpdateRolloutRequest): UpdateRolloutRequest {
  const update = checkServed(checkRequest(fieldRules.UpdateRolloutRequest, request))
  if (typeOf(update) === 'UNKNOWN_ROLLOUT_TYPE') throw rolloutHasNoType()
  return update
}

/** An update that names no rollout: it can only be about the threshold of the flag. */
export function checkThresholdUpdate(
  request: UpdateRolloutRequest,
): UpdateRolloutRequest & { threshold: RolloutThreshold } {
  const update = checkRequest(fieldRules.UpdateRolloutRequest, request)
  if (update.segment !== undefined) throw invalidField('segment', 'id is required')
  const { threshold } = checkServed(update)
  if (threshold === undefined) throw rolloutHasNoType()
  return { ...update, threshold }
}

function checkServed<T extends Served>(rollout: T): T {
  const { segment, threshold } = rollout
  if (segment !== undefined && threshold !== undefined) {
    throw invalidField('segment or threshold', 'only one can be present')
  }
  if (threshold !== undefined) {
    const { minimum, maximum } = fieldRules.RolloutThreshold.percentage
    const percentage = Math.fround(threshold.percentage)
    // Neither holds for NaN.
    if (!(percentage >= minimum && percentage <= maximum)) {
      throw invalidField('threshold.percentage', `must be within range [${minimum}, ${maximum}]`)
    }
  }
  if (segment === undefined) return rollout
  checkFields(fieldRules.RolloutSegment, segment)
  return { ...rollout, segment: { ...segment, ...toSegmentChoice(segment) } }
}

export function typeOf({ segment, threshold }: Served): RolloutType {
  if (segment !== undefined) return 'SEGMENT_ROLLOUT_TYPE'
  return threshold === undefined ? 'UNKNOWN_ROLLOUT_TYPE' : 'THRESHOLD_ROLLOUT_TYPE'
}
