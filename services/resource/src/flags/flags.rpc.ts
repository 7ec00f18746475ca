import type { Database } from '@svc/database'
import { fieldRules } from '@svc/proto/field-rules'
import type { FlagServiceDefinition } from '@svc/proto/resource/v1/flags'
import type { Handlers } from '@svc/rpc'
import { commitChange, commitDeletion } from '../changes/commit.ts'
import { checkRequest } from '../fields.ts'
import { toPage } from '../paging.ts'
import { explainViolations } from '../violations.ts'
import { deleteFlag, flagOrder, getFlag, insertFlag, listFlags, updateFlag } from './flags.store.ts'
import {
  checkFlagCreation,
  checkFlagUpdate,
  defaultVariantNotFound,
  flagNotFound,
  flagNotUnique,
} from './flags.ts'

export function flagHandlers(db: Database) {
  return {
    async listFlags(request) {
      const { namespaceKey } = checkRequest(fieldRules.ListFlagsRequest, request)
      const { items: flags, ...rest } = await listFlags(
        db,
        namespaceKey,
        toPage(request, flagOrder),
      )
      return { flags, ...rest }
    },

    async getFlag(request) {
      const { namespaceKey, key } = checkRequest(fieldRules.GetFlagRequest, request)
      return getFlag(db, namespaceKey, key)
    },

    async createFlag(request, caller?) {
      const wanted = checkFlagCreation(request)
      return commitChange(db, wanted.namespaceKey, caller, async (tx, change) => {
        change.changed('flag', wanted.key)
        return explainViolations(insertFlag(tx, wanted), {
          flag_is_unique: () => flagNotUnique(wanted),
        })
      })
    },

    async updateFlag(request, caller?) {
      const update = checkFlagUpdate(request)
      const { namespaceKey, key } = update
      return commitChange(db, namespaceKey, caller, async (tx, change) => {
        const flag = await explainViolations(updateFlag(tx, update), {
          default_variant_exists: () => defaultVariantNotFound(update),
        })
        if (flag === undefined) throw flagNotFound(namespaceKey, key)
        change.changed('flag', key)
        return flag
      })
    },

    async deleteFlag(request, caller?) {
      const { namespaceKey, key } = checkRequest(fieldRules.DeleteFlagRequest, request)
      return commitDeletion(db, namespaceKey, caller, async (tx, change) => {
        const bytes = await deleteFlag(tx, namespaceKey, key)
        if (bytes !== undefined) change.deleted('flag', key, bytes)
      })
    },
  } satisfies Handlers<FlagServiceDefinition>
}
