import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { RolloutServiceDefinition } from '@svc/proto/resource/v1/rollouts'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../lists/paging.ts'
import { setThreshold } from './flag-threshold.ts'
import { createRollout, deleteRollout, orderRollouts, updateRollout } from './rollouts.changes.ts'
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

    async createRollout(request, context) {
      const rollout = checkRolloutCreation(request)
      return commitChange(db, rollout.namespaceKey, context, (tx, change) =>
        createRollout(tx, change, rollout),
      )
    },

    async updateRollout(request, context) {
      if (request.id === '') {
        const update = checkThresholdUpdate(request)
        return commitChange(db, update.namespaceKey, context, (tx, change) =>
          setThreshold(tx, change, update),
        )
      }
      const update = checkRolloutUpdate(request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateRollout(tx, change, update),
      )
    },

    async orderRollouts(request, context) {
      const order = checkRequest(fieldRules.OrderRolloutsRequest, request)
      return commitChange(db, order.namespaceKey, context, (tx, change) =>
        orderRollouts(tx, change, order),
      )
    },

    async deleteRollout(request, context) {
      const target = checkRequest(fieldRules.DeleteRolloutRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteRollout(tx, change, target),
      )
    },
  } satisfies Handlers<RolloutServiceDefinition, Caller>
}
