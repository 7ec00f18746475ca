import type {
  Rollout,
  RolloutThreshold,
  UpdateRolloutRequest,
} from '@svc/proto/resource/v1/rollouts'
import type { UseCase } from '../changes/recorder.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { rankAfter } from '../ordering.ts'
import { explainViolations } from '../violations.ts'
import { listRanks } from './rollout-ranks.store.ts'
import { insertRolloutRow, updateRolloutRow } from './rollout-writes.store.ts'
import { hasSeveralThresholds, rankNotUnique } from './rollouts.errors.ts'
import { getRollout } from './rollouts.store.ts'

/**
 * Sets the threshold of a flag: of its only threshold rollout, or of a new one after all others.
 * Doing it again changes nothing more. A description that is left out stays.
 */
export const setThreshold: UseCase<
  UpdateRolloutRequest & { threshold: RolloutThreshold },
  Rollout
> = async (tx, change, update) => {
  const { namespaceKey, flagKey, threshold } = update
  if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
  change.changed('flag', flagKey)
  const rollouts = await listRanks(tx, namespaceKey, flagKey)
  const [only, ...others] = rollouts.filter(({ type }) => type === 'THRESHOLD_ROLLOUT_TYPE')
  if (others.length > 0) throw hasSeveralThresholds(namespaceKey, flagKey)
  if (only === undefined) {
    const rank = rankAfter(rollouts.at(-1)?.rank)
    const { description = '' } = update
    const rollout = { namespaceKey, flagKey, rank, description, threshold }
    const id = await explainViolations(insertRolloutRow(tx, rollout), {
      rank_is_unique: () => rankNotUnique(rank),
    })
    return getRollout(tx, namespaceKey, flagKey, id)
  }
  const current = await getRollout(tx, namespaceKey, flagKey, only.id)
  const { description = current.description } = update
  await updateRolloutRow(tx, { ...update, id: only.id, description })
  return getRollout(tx, namespaceKey, flagKey, only.id)
}
