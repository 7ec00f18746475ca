import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import {
  deleteDistribution,
  hasParents,
  insertDistribution,
  updateDistribution,
} from './distributions.store.ts'
import { distributionNotFound, distributionParentsNotFound } from './distributions.ts'

export function distributionHandlers(db: Database) {
  return {
    async createDistribution(request, caller?) {
      const wanted = checkRequest(fieldRules.CreateDistributionRequest, request)
      return commitChange(db, wanted.namespaceKey, caller, async (tx, change) => {
        if (!(await hasParents(tx, wanted))) throw distributionParentsNotFound(wanted)
        change.grown('flag', wanted.flagKey)
        return insertDistribution(tx, wanted)
      })
    },

    async updateDistribution(request, caller?) {
      const update = checkRequest(fieldRules.UpdateDistributionRequest, request)
      return commitChange(db, update.namespaceKey, caller, async (tx, change) => {
        if (!(await hasParents(tx, update))) throw distributionParentsNotFound(update)
        const distribution = await updateDistribution(tx, update)
        if (distribution === undefined) throw distributionNotFound(update.id)
        change.changed('flag', update.flagKey)
        return distribution
      })
    },

    async deleteDistribution(request, caller?) {
      const target = checkRequest(fieldRules.DeleteDistributionRequest, request)
      return commitDeletion(db, target.namespaceKey, caller, async (tx, change) => {
        if (await deleteDistribution(tx, target)) change.changed('flag', target.flagKey)
      })
    },
  } satisfies Handlers<DistributionServiceDefinition>
}
