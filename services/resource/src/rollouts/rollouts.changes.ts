import type { Queryable } from '@svc/database'
import type {
  CreateRolloutRequest,
  DeleteRolloutRequest,
  OrderRolloutsRequest,
  Rollout,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import type { UseCase } from '../changes/recorder.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { deleteRanked, putInOrder } from '../ordering.store.ts'
import { rankAfter } from '../ordering.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.store.ts'
import { explainViolations } from '../violations.ts'
import { listRanks } from './rollout-ranks.store.ts'
import { insertRolloutRow, updateRolloutRow } from './rollout-writes.store.ts'
import {
  rankNotUnique,
  rolloutKeepsType,
  rolloutParentsNotFound,
  rolloutRuleIsMissing,
} from './rollouts.errors.ts'
import { getRollout } from './rollouts.store.ts'
import { typeOf } from './rollouts.ts'

export const createRollout: UseCase<CreateRolloutRequest, Rollout> = async (
  tx,
  change,
  request,
) => {
  const { namespaceKey, flagKey, segment } = request
  const others = await listRanks(tx, namespaceKey, flagKey)
  const rank = request.rank || rankAfter(others.at(-1)?.rank)
  if (others.some((other) => other.rank === rank)) throw rankNotUnique(rank)
  if (typeOf(request) === 'UNKNOWN_ROLLOUT_TYPE') throw rolloutRuleIsMissing()
  await checkSegments(tx, request)
  const id = await explainViolations(insertRolloutRow(tx, { ...request, rank }), {
    flag_exists: () =>
      segment === undefined ? flagNotFound(namespaceKey, flagKey) : rolloutParentsNotFound(request),
  })
  change.changed('flag', flagKey)
  return getRollout(tx, namespaceKey, flagKey, id)
}

export const updateRollout: UseCase<UpdateRolloutRequest, Rollout> = async (
  tx,
  change,
  request,
) => {
  const { namespaceKey, flagKey, id } = request
  const current = await getRollout(tx, namespaceKey, flagKey, id)
  if (current.type !== typeOf(request)) throw rolloutKeepsType(current.type, typeOf(request))
  await checkSegments(tx, request)
  await updateRolloutRow(tx, request)
  change.changed('flag', flagKey)
  return getRollout(tx, namespaceKey, flagKey, id)
}

export const orderRollouts: UseCase<OrderRolloutsRequest, Record<string, never>> = async (
  tx,
  change,
  request,
) => {
  const { namespaceKey, flagKey, rolloutIds } = request
  if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
  await putInOrder(tx, 'rollouts', request, 'rolloutIds', rolloutIds)
  change.changed('flag', flagKey)
  return {}
}

export const deleteRollout: UseCase<DeleteRolloutRequest, void> = async (tx, change, request) => {
  if (await deleteRanked(tx, 'rollouts', request)) change.changed('flag', request.flagKey)
}

async function checkSegments(
  tx: Queryable,
  rollout: CreateRolloutRequest | UpdateRolloutRequest,
): Promise<void> {
  if (rollout.segment === undefined) return
  const keys = chosenSegments(rollout.segment)
  const missing = await findMissingSegment(tx, rollout.namespaceKey, keys)
  if (missing !== undefined) throw rolloutParentsNotFound(rollout)
}
