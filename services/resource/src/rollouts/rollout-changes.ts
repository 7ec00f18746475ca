import type { Queryable } from '@svc/database'
import type {
  CreateRolloutRequest,
  Rollout,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import { flagNotFound } from '../flags/flags.ts'
import { rankAfter } from '../ordering.ts'
import { chosenSegments } from '../segments/segment-choice.ts'
import { findMissingSegment } from '../segments/segments.store.ts'
import { explainViolations } from '../violations.ts'
import { listRanks } from './rollout-ranks.store.ts'
import { insertRollout, updateRollout } from './rollout-writes.store.ts'
import {
  rankNotUnique,
  rolloutKeepsType,
  rolloutParentsNotFound,
  rolloutRuleIsMissing,
} from './rollouts.errors.ts'
import { getRollout } from './rollouts.store.ts'
import { typeOf } from './rollouts.ts'

export async function addRollout(tx: Queryable, wanted: CreateRolloutRequest): Promise<Rollout> {
  const { namespaceKey, flagKey, segment } = wanted
  const others = await listRanks(tx, namespaceKey, flagKey)
  const rank = wanted.rank || rankAfter(others.at(-1)?.rank)
  if (others.some((other) => other.rank === rank)) throw rankNotUnique(rank)
  if (typeOf(wanted) === 'UNKNOWN_ROLLOUT_TYPE') throw rolloutRuleIsMissing()
  await checkSegments(tx, wanted)
  const id = await explainViolations(insertRollout(tx, { ...wanted, rank }), {
    flag_exists: () =>
      segment === undefined ? flagNotFound(namespaceKey, flagKey) : rolloutParentsNotFound(wanted),
  })
  return getRollout(tx, namespaceKey, flagKey, id)
}

export async function changeRollout(tx: Queryable, update: UpdateRolloutRequest): Promise<Rollout> {
  const { namespaceKey, flagKey, id } = update
  const current = await getRollout(tx, namespaceKey, flagKey, id)
  if (current.type !== typeOf(update)) throw rolloutKeepsType(current.type, typeOf(update))
  await checkSegments(tx, update)
  await updateRollout(tx, update)
  return getRollout(tx, namespaceKey, flagKey, id)
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
