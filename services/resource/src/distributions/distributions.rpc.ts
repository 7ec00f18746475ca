import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { DistributionServiceDefinition } from '@svc/proto/resource/v1/distributions'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import {
  createDistribution,
  deleteDistribution,
  updateDistribution,
} from './distributions.changes.ts'

export function distributionHandlers(db: Database) {
  return {
    async createDistribution(request, context) {
      const distribution = checkRequest(fieldRules.CreateDistributionRequest, request)
      return commitChange(db, distribution.namespaceKey, context, (tx, change) =>
        createDistribution(tx, change, distribution),
      )
    },

    async updateDistribution(request, context) {
      const update = checkRequest(fieldRules.UpdateDistributionRequest, request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateDistribution(tx, change, update),
      )
    },

    async deleteDistribution(request, context) {
      const target = checkRequest(fieldRules.DeleteDistributionRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteDistribution(tx, change, target),
      )
    },
  } satisfies Handlers<DistributionServiceDefinition, Caller>
}
