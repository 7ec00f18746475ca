import type {
  CreateRolloutRequest,
  DeleteRolloutRequest,
  ListRolloutsRequest,
  OrderRolloutsRequest,
  Rollout,
  RolloutThreshold,
  RolloutType,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import { invalidField } from '@svc/runtime'
import { checkKey, checkLong, checkPresent, inNamespace } from '../fields.ts'
import { checkOrder, checkRank } from '../ordering.ts'
import { toSegmentChoice } from '../segments/segment-choice.ts'
import { rolloutHasNoType } from './rollouts.errors.ts'

/** What a rollout serves, and to whom: one of the two. */
type Served = Pick<Rollout, 'segment' | 'threshold'>

export function checkRolloutList(request: ListRolloutsRequest): ListRolloutsRequest {
  const list = inNamespace(request)
  checkKey('flagKey', list.flagKey)
  return list
}

export function checkRolloutName<T extends DeleteRolloutRequest>(request: T): T {
  const rollout = inNamespace(request)
  checkPresent('id', rollout.id)
  checkKey('flagKey', rollout.flagKey)
  return rollout
}

/** That it serves anything is left to be checked where its rank is known to be free. */
export function checkRolloutCreation(request: CreateRolloutRequest): CreateRolloutRequest {
  const rollout = inNamespace(request)
  checkKey('flagKey', rollout.flagKey)
  const creation = checkServed(rollout)
  checkRank(rollout.rank)
  checkLong('description', rollout.description)
  return creation
}

export function checkRolloutUpdate(request: UpdateRolloutRequest): UpdateRolloutRequest {
  const rollout = checkRolloutName(request)
  checkLong('description', rollout.description ?? '')
  const update = checkServed(rollout)
  if (typeOf(update) === 'UNKNOWN_ROLLOUT_TYPE') throw rolloutHasNoType()
  return update
}

/** An update that names no rollout: it can only be about the threshold of the flag. */
export function checkThresholdUpdate(
  request: UpdateRolloutRequest,
): UpdateRolloutRequest & { threshold: RolloutThreshold } {
  const update = inNamespace(request)
  checkKey('flagKey', update.flagKey)
  checkLong('description', update.description ?? '')
  if (update.segment !== undefined) throw invalidField('segment', 'id is required')
  const { threshold } = checkServed(update)
  if (threshold === undefined) throw rolloutHasNoType()
  return { ...update, threshold }
}

export function checkRolloutOrder(request: OrderRolloutsRequest): OrderRolloutsRequest {
  const order = inNamespace(request)
  checkKey('flagKey', order.flagKey)
  checkOrder('rolloutIds', order.rolloutIds)
  return order
}

function checkServed<T extends Served>(rollout: T): T {
  const { segment, threshold } = rollout
  if (segment !== undefined && threshold !== undefined) {
    throw invalidField('segment or threshold', 'only one can be present')
  }
  if (threshold !== undefined) {
    const percentage = Math.fround(threshold.percentage)
    // Neither holds for NaN.
    if (!(percentage >= 0 && percentage <= 100)) {
      throw invalidField('threshold.percentage', 'must be within range [0, 100]')
    }
  }
  return segment === undefined
    ? rollout
    : { ...rollout, segment: { ...segment, ...toSegmentChoice(segment) } }
}

export function typeOf({ segment, threshold }: Served): RolloutType {
  if (segment !== undefined) return 'SEGMENT_ROLLOUT_TYPE'
  return threshold === undefined ? 'UNKNOWN_ROLLOUT_TYPE' : 'THRESHOLD_ROLLOUT_TYPE'
}
