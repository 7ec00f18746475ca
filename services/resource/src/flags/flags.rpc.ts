import type { Caller } from '@svc/access'
import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../lists/paging.ts'
import { createFlag, deleteFlag, updateFlag } from './flags.changes.ts'
import { flagOrder, getFlag, listFlags } from './flags.store.ts'
import { checkFlagCreation, checkFlagUpdate } from './flags.ts'

export function flagHandlers(db: Database) {
  return {
    async listFlags(request) {
      const { namespaceKey } = checkRequest(fieldRules.ListFlagsRequest, request)
      const page = toPage(request, flagOrder)
      const { items: flags, ...rest } = await listFlags(db, namespaceKey, page)
      return { flags, ...rest }
    },

    async getFlag(request) {
      const { namespaceKey, key } = checkRequest(fieldRules.GetFlagRequest, request)
      return getFlag(db, namespaceKey, key)
    },

    async createFlag(request, context) {
      const flag = checkFlagCreation(request)
      return commitChange(db, flag.namespaceKey, context, (tx, change) =>
        createFlag(tx, change, flag),
      )
    },

    async updateFlag(request, context) {
      const update = checkFlagUpdate(request)
      return commitChange(db, update.namespaceKey, context, (tx, change) =>
        updateFlag(tx, change, update),
      )
    },

    async deleteFlag(request, context) {
      const target = checkRequest(fieldRules.DeleteFlagRequest, request)
      return commitDeletion(db, target.namespaceKey, context, (tx, change) =>
        deleteFlag(tx, change, target),
      )
    },
  } satisfies Handlers<FlagServiceDefinition, Caller>
}
