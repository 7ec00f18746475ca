import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { hasFlag } from '../flags/flags.store.ts'
import { flagNotFound } from '../flags/flags.ts'
import { deleteRanked, putInOrder } from '../ordering.store.ts'
import { toPage } from '../paging.ts'
import { setThreshold } from './flag-threshold.ts'
import { addRollout, changeRollout } from './rollout-changes.ts'
import { getRollout, listRollouts, rolloutOrder } from './rollouts.store.ts'
import { checkRolloutCreation, checkRolloutUpdate, checkThresholdUpdate } from './rollouts.ts'

export function rolloutHandlers(db: Database) {
  return {
    async listRollouts(request) {
      const { namespaceKey, flagKey } = checkRequest(fieldRules.ListRolloutsRequest, request)
      const page = toPage(request, rolloutOrder)
      const { items: rules, ...rest } = await listRollouts(db, namespaceKey, flagKey, page)
      return { rules, ...rest }
    },

    async getRollout(request) {
      const { namespaceKey, flagKey, id } = checkRequest(fieldRules.GetRolloutRequest, request)
      return getRollout(db, namespaceKey, flagKey, id)
    },

    async createRollout(request, caller?) {
      const wanted = checkRolloutCreation(request)
      return commitChange(db, wanted.namespaceKey, caller, async (tx, change) => {
        change.grown('flag', wanted.flagKey)
        return addRollout(tx, wanted)
      })
    },

    async updateRollout(request, caller?) {
      if (request.id === '') {
        const update = checkThresholdUpdate(request)
        return commitChange(db, update.namespaceKey, caller, async (tx, change) => {
          change.grown('flag', update.flagKey)
          return setThreshold(tx, update)
        })
      }
      const update = checkRolloutUpdate(request)
      return commitChange(db, update.namespaceKey, caller, async (tx, change) => {
        change.grown('flag', update.flagKey)
        return changeRollout(tx, update)
      })
    },

    async orderRollouts(request, caller?) {
      const { namespaceKey, flagKey, rolloutIds } = checkRequest(
        fieldRules.OrderRolloutsRequest,
        request,
      )
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        if (!(await hasFlag(tx, namespaceKey, flagKey))) throw flagNotFound(namespaceKey, flagKey)
        await putInOrder(tx, 'rollouts', { namespaceKey, flagKey }, 'rolloutIds', rolloutIds)
        change.changed('flag', flagKey)
        return {}
      })
    },

    async deleteRollout(request, caller?) {
      const target = checkRequest(fieldRules.DeleteRolloutRequest, request)
      return commitDeletion(db, target.namespaceKey, caller, async (tx, change) => {
        if (await deleteRanked(tx, 'rollouts', target)) change.changed('flag', target.flagKey)
      })
    },
  } satisfies Handlers<RolloutServiceDefinition>
}
